/*
 * Writes the oracle of a Java project: what javac says of every call. Imports that can't be followed are no obstacle.
 *
 *   java --add-modules jdk.compiler oracle_java.java ROOT OUT FOLDER...
 *
 * FOLDERs are below ROOT and have the sources, OUT is a prefix as for oracle_python.py. Score with --overloads.
 */
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import javax.lang.model.element.*;
import javax.lang.model.type.TypeKind;
import javax.tools.*;

public class oracle_java {
    static Path root;
    static Trees trees;
    static SourcePositions positions;
    static PrintWriter calls, unresolved;

    public static void main(String[] arguments) throws Exception {
        root = Paths.get(arguments[0]).toRealPath();
        List<File> files = new ArrayList<>();
        for (String folder : Arrays.asList(arguments).subList(2, arguments.length)) {
            try (var found = Files.walk(root.resolve(folder))) {
                found.filter(path -> path.toString().endsWith(".java"))
                    .filter(path -> !path.getFileName().toString().endsWith("-info.java"))
                    .sorted()
                    .forEach(path -> files.add(path.toFile()));
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(problem -> {}, null, null);
        List<String> options = List.of("-proc:none", "-XDshould-stop.ifError=FLOW", "-XDshould-stop.at=FLOW");
        JavacTask task = (JavacTask) compiler.getTask(
            new StringWriter(), manager, problem -> {}, options, null, manager.getJavaFileObjectsFromFiles(files));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        trees = Trees.instance(task);
        positions = trees.getSourcePositions();
        calls = writer(arguments[1] + ".jsonl");
        unresolved = writer(arguments[1] + ".unresolved.jsonl");
        StringJoiner names = new StringJoiner(", ");
        for (CompilationUnitTree unit : units) {
            names.add(quoted(path(unit)));
            new Calls(unit).scan(unit, null);
        }
        calls.close();
        unresolved.close();
        try (PrintWriter meta = writer(arguments[1] + ".meta.json")) {
            meta.println("{\"files\": [" + names + "]}");
        }
    }

    static PrintWriter writer(String path) throws IOException {
        return new PrintWriter(new FileWriter(path, StandardCharsets.UTF_8));
    }

    static String path(CompilationUnitTree unit) {
        return root.relativize(Paths.get(unit.getSourceFile().toUri())).toString();
    }

    static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    static String place(CompilationUnitTree unit, Tree tree, String name, String kind) {
        return "{\"name\": " + quoted(name) + ", \"qualified\": " + quoted(name) + ", \"path\": " + quoted(path(unit))
            + ", \"start\": " + line(unit, positions.getStartPosition(unit, tree))
            + ", \"end\": " + line(unit, positions.getEndPosition(unit, tree)) + ", \"kind\": \"" + kind + "\"}";
    }

    static long line(CompilationUnitTree unit, long position) {
        return position < 0 ? 1 : unit.getLineMap().getLineNumber(position);
    }

    static class Calls extends TreePathScanner<Void, Void> {
        final CompilationUnitTree unit;
        final Deque<String> scopes = new ArrayDeque<>();
        final Deque<String> types = new ArrayDeque<>();

        Calls(CompilationUnitTree unit) {
            this.unit = unit;
        }

        @Override
        public Void visitClass(ClassTree tree, Void nothing) {
            types.push(tree.getSimpleName().toString());
            scopes.push(place(unit, tree, types.peek(), "class"));
            super.visitClass(tree, nothing);
            scopes.pop();
            types.pop();
            return null;
        }

        @Override
        public Void visitMethod(MethodTree tree, Void nothing) {
            if (positions.getEndPosition(unit, tree) < 0) {
                return null; // a constructor that nobody wrote
            }
            String name = tree.getName().contentEquals("<init>") ? types.peek() : tree.getName().toString();
            scopes.push(place(unit, tree, name, "method"));
            super.visitMethod(tree, nothing);
            scopes.pop();
            return null;
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree tree, Void nothing) {
            ExpressionTree callee = tree.getMethodSelect();
            if (positions.getEndPosition(unit, tree) >= 0) {
                Element element = trees.getElement(new TreePath(getCurrentPath(), callee));
                if (callee instanceof MemberSelectTree) {
                    String name = ((MemberSelectTree) callee).getIdentifier().toString();
                    write(element, name, positions.getEndPosition(unit, callee), "name");
                } else {
                    String name = ((IdentifierTree) callee).getName().toString();
                    String via = name.equals("this") || name.equals("super") ? "delegation" : "name";
                    write(element, name, positions.getStartPosition(unit, callee), via);
                    if (!via.equals("name") && element != null) {
                        write(element.getEnclosingElement(), name, positions.getStartPosition(unit, callee), via);
                    }
                }
            }
            return super.visitMethodInvocation(tree, nothing);
        }

        @Override
        public Void visitNewClass(NewClassTree tree, Void nothing) {
            boolean isConstant = positions.getEndPosition(unit, tree.getIdentifier()) < 0
                || getCurrentPath().getParentPath().getLeaf() instanceof VariableTree
                    && trees.getElement(getCurrentPath().getParentPath()).getKind() == ElementKind.ENUM_CONSTANT;
            if (!isConstant) {
                Element made = trees.getElement(new TreePath(getCurrentPath(), tree.getIdentifier()));
                String via = tree.getClassBody() == null ? "name" : "anonymous";
                write(made, tree.getIdentifier().toString(), positions.getStartPosition(unit, tree), via);
            }
            return super.visitNewClass(tree, nothing);
        }

        void write(Element element, String name, long position, String via) {
            long line = line(unit, position);
            if (element == null || element.asType().getKind() == TypeKind.ERROR) {
                unresolved.println("{\"path\": " + quoted(path(unit)) + ", \"line\": " + line + ", \"name\": " + quoted(name) + "}");
                return;
            }
            TreePath found = trees.getPath(element);
            if (found == null) {
                return;
            }
            CompilationUnitTree home = found.getCompilationUnit();
            boolean isClass = element instanceof TypeElement;
            if (!isClass && positions.getEndPosition(home, found.getLeaf()) < 0) {
                return;
            }
            boolean isConstructor = element.getKind() == ElementKind.CONSTRUCTOR;
            String callee = (isConstructor ? element.getEnclosingElement() : element).getSimpleName().toString();
            String caller = scopes.isEmpty() ? place(unit, unit, "<module>", "module") : scopes.peek();
            calls.println("{\"path\": " + quoted(path(unit)) + ", \"line\": " + line + ", \"site\": \"call\", \"caller\": " + caller
                + ", \"enclosing\": [" + String.join(", ", scopes) + "], \"inner_weak\": 0, \"callee\": "
                + place(home, found.getLeaf(), callee, isClass ? "class" : "method") + ", \"via\": \"" + via + "\"}");
        }
    }
}
