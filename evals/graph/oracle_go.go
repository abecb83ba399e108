// Writes the oracle of a Go project: what go/types says of every call. Imports from outside are no obstacle.
//
//	go run oracle_go.go ROOT OUT
//
// OUT is a prefix as for oracle_python.py. Files that the build leaves out on this platform are not covered.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

type imp struct {
	root, mod string
	fset      *token.FileSet
	pkgs      map[string]*types.Package
	std       types.ImporterFrom
	infos     map[string]*types.Info
	files     map[string][]*ast.File
	mods      map[string]string // module path -> dir
}

func (i *imp) Import(p string) (*types.Package, error) { return i.ImportFrom(p, "", 0) }
func (i *imp) ImportFrom(p, dir string, m types.ImportMode) (*types.Package, error) {
	if k, ok := i.pkgs[p]; ok {
		if k == nil {
			return nil, fmt.Errorf("cycle")
		}
		return k, nil
	}
	best, bd := "", ""
	for mp, d := range i.mods {
		if (p == mp || strings.HasPrefix(p, mp+"/")) && len(mp) > len(best) {
			best, bd = mp, d
		}
	}
	if best != "" {
		i.pkgs[p] = nil
		d := filepath.Join(bd, strings.TrimPrefix(p, best))
		k := i.check(p, d)
		i.pkgs[p] = k
		if k == nil {
			return nil, fmt.Errorf("none")
		}
		return k, nil
	}
	if strings.Contains(strings.Split(p, "/")[0], ".") {
		return nil, fmt.Errorf("outside")
	}
	return i.std.ImportFrom(p, dir, m)
}

func (i *imp) check(p, d string) *types.Package {
	bp, err := build.Default.ImportDir(d, 0)
	if bp == nil || len(bp.GoFiles) == 0 {
		_ = err
		return nil
	}
	var fs []*ast.File
	for _, n := range append(bp.GoFiles, bp.CgoFiles...) {
		f, _ := parser.ParseFile(i.fset, filepath.Join(d, n), nil, 0)
		if f != nil {
			fs = append(fs, f)
		}
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{}}
	conf := types.Config{Importer: i, Error: func(error) {}, FakeImportC: true}
	k, _ := conf.Check(p, i.fset, fs, info)
	i.infos[p] = info
	i.files[p] = fs
	return k
}

func main() {
	root, _ := filepath.EvalSymlinks(os.Args[1])
	fset := token.NewFileSet()
	i := &imp{root: root, fset: fset, pkgs: map[string]*types.Package{}, infos: map[string]*types.Info{}, files: map[string][]*ast.File{}, mods: map[string]string{}}
	i.std = importer.ForCompiler(fset, "source", nil).(types.ImporterFrom)
	filepath.Walk(root, func(p string, fi os.FileInfo, e error) error {
		if e == nil && fi.Name() == "go.mod" {
			b, _ := os.ReadFile(p)
			for _, l := range strings.Split(string(b), "\n") {
				if strings.HasPrefix(l, "module ") {
					i.mods[strings.TrimSpace(strings.TrimPrefix(l, "module "))] = filepath.Dir(p)
				}
			}
		}
		return nil
	})
	filepath.Walk(root, func(p string, fi os.FileInfo, e error) error {
		if e == nil && fi.IsDir() && !strings.Contains(p, "/vendor") && !strings.Contains(p, "testdata") {
			best, bd := "", ""
			for mp, d := range i.mods {
				if (p == d || strings.HasPrefix(p, d+"/")) && len(d) > len(bd) {
					best, bd = mp, d
				}
			}
			if best != "" {
				rel := strings.TrimPrefix(p, bd)
				i.ImportFrom(best+rel, "", 0)
			}
		}
		return nil
	})
	write(i, root, os.Args[2])
}

// A function, as the scorer wants it.
type function struct {
	Name      string `json:"name"`
	Qualified string `json:"qualified"`
	Path      string `json:"path"`
	Start     int    `json:"start"`
	End       int    `json:"end"`
	Kind      string `json:"kind"`
}

func write(i *imp, root, prefix string) {
	functions := map[token.Pos]function{}
	covered, names := []string{}, []string{}
	relative := func(pos token.Pos) string {
		path, err := filepath.Rel(root, i.fset.Position(pos).Filename)
		if err != nil || path == "" || strings.HasPrefix(path, "..") {
			return ""
		}
		return path
	}
	described := func(name string, at, start, end token.Pos) function {
		return function{name, name, relative(at), i.fset.Position(start).Line, i.fset.Position(end).Line, "function"}
	}
	for name, files := range i.files {
		names = append(names, name)
		for _, file := range files {
			covered = append(covered, relative(file.Pos()))
			for _, declared := range file.Decls {
				if found, ok := declared.(*ast.FuncDecl); ok {
					at := found.Name.Pos()
					functions[at] = described(found.Name.Name, at, found.Pos(), found.End())
				}
			}
		}
	}
	sort.Strings(names)
	sort.Strings(covered)
	calls, unresolved := encoder(prefix+".jsonl"), encoder(prefix+".unresolved.jsonl")
	for _, name := range names {
		info := i.infos[name]
		for _, file := range i.files[name] {
			path := relative(file.Pos())
			for _, declared := range file.Decls {
				caller, enclosing := function{Name: "<module>", Path: path}, []function{}
				if found, ok := declared.(*ast.FuncDecl); ok {
					caller = functions[found.Name.Pos()]
					enclosing = append(enclosing, caller)
				}
				ast.Inspect(declared, func(node ast.Node) bool {
					call, ok := node.(*ast.CallExpr)
					if !ok {
						return true
					}
					line := i.fset.Position(call.Lparen).Line
					gaveUp := map[string]any{"path": path, "line": line, "name": nil, "caller": caller.Name}
					id := called(call)
					if id == nil {
						unresolved.Encode(gaveUp)
						return true
					}
					switch object := info.Uses[id].(type) {
					case *types.Func:
						callee, ok := functions[object.Pos()]
						if at := relative(object.Pos()); !ok && at != "" {
							callee = described(object.Name(), object.Pos(), object.Pos(), object.Pos())
						}
						if callee.Path != "" {
							calls.Encode(map[string]any{
								"path": path, "line": i.fset.Position(id.Pos()).Line, "site": "call", "via": "name",
								"caller": caller, "enclosing": enclosing, "inner_weak": 0, "callee": callee,
							})
						}
					case *types.Var:
						unresolved.Encode(gaveUp)
					case nil:
						gaveUp["name"] = id.Name
						unresolved.Encode(gaveUp)
					}
					return true
				})
			}
		}
	}
	encoder(prefix + ".meta.json").Encode(map[string]any{"files": covered})
}

// The name that a call is written with.
func called(call *ast.CallExpr) *ast.Ident {
	callee := call.Fun
	for {
		switch found := callee.(type) {
		case *ast.ParenExpr:
			callee = found.X
		case *ast.IndexExpr:
			callee = found.X
		case *ast.IndexListExpr:
			callee = found.X
		case *ast.Ident:
			return found
		case *ast.SelectorExpr:
			return found.Sel
		default:
			return nil
		}
	}
}

func encoder(path string) *json.Encoder {
	file, err := os.Create(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return json.NewEncoder(file)
}
