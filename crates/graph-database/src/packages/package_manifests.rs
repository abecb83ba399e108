//! The manifests of each ecosystem.

use serde_json::Value as Json;
use toml::Table;

use super::{
    Ecosystem, PackageMention,
    manifest_syntax::{elements, field, quoted},
};

/// A manifest that is being read.
pub(super) struct PackageManifest<'m> {
    pub(super) folder: &'m str,
    pub(super) mentions: Vec<PackageMention>,
}

/// Size limit of a name, or of required versions, in bytes.
const MAX_NAME_BYTES: usize = 500;

/// Whether a text is a plain package name. Manifests are untrusted, and their names become keys of indexes.
fn is_plain(text: &str) -> bool {
    text.len() <= MAX_NAME_BYTES && !text.chars().any(char::is_control)
}

impl PackageManifest<'_> {
    fn mention(&mut self, ecosystem: Ecosystem, name: &str, requires: Option<&str>) {
        self.mention_as(ecosystem, name, requires, None);
    }

    /// Adds a package that code imports under another name.
    fn mention_as(
        &mut self,
        ecosystem: Ecosystem,
        name: &str,
        requires: Option<&str>,
        alias: Option<String>,
    ) {
        let name = normalized(ecosystem, name);
        let requires = requires.map(|range| range.trim().to_owned());
        let is_plain = [Some(&name), requires.as_ref(), alias.as_ref()]
            .iter()
            .flatten()
            .all(|it| is_plain(it));
        if !name.is_empty() && is_plain {
            let folder = self.folder.to_owned();
            self.mentions.push(PackageMention { ecosystem, name, folder, requires, alias });
        }
    }

    pub(super) fn cargo(&mut self, text: &str) {
        let Ok(manifest) = text.parse::<Table>() else { return };
        let package = manifest.get("package").and_then(|package| package.get("name"));
        if let Some(name) = package.and_then(toml::Value::as_str) {
            let library = manifest.get("lib").and_then(|library| library.get("name"));
            let alias = library.and_then(toml::Value::as_str).map(str::to_owned);
            self.mention_as(Ecosystem::Cargo, name, None, alias);
        }
        let targets = manifest.get("target").and_then(toml::Value::as_table);
        let targets = targets.into_iter().flat_map(Table::values).filter_map(toml::Value::as_table);
        let workspace = manifest.get("workspace").and_then(toml::Value::as_table);
        for holder in std::iter::once(&manifest).chain(targets).chain(workspace) {
            for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
                let table = holder.get(kind).and_then(toml::Value::as_table);
                table
                    .into_iter()
                    .flatten()
                    .for_each(|(key, value)| self.cargo_dependency(key, value));
            }
        }
    }

    fn cargo_dependency(&mut self, key: &str, value: &toml::Value) {
        let part = |name: &str| value.get(name).and_then(toml::Value::as_str);
        let range = value.as_str().or(part("version")).unwrap_or("*");
        let package = part("package");
        let alias = package.map(|_| key.replace('-', "_"));
        self.mention_as(Ecosystem::Cargo, package.unwrap_or(key), Some(range), alias);
    }

    pub(super) fn go(&mut self, text: &str) {
        let mut is_inside = false;
        for line in text.lines() {
            let line = line.split("//").next().unwrap_or_default().trim();
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["module", name] => self.mention(Ecosystem::Go, name.trim_matches('"'), None),
                ["require", "("] => is_inside = true,
                [")"] => is_inside = false,
                ["require", name, version] => self.mention(Ecosystem::Go, name, Some(version)),
                [name, version] if is_inside => self.mention(Ecosystem::Go, name, Some(version)),
                _ => {}
            }
        }
    }

    pub(super) fn npm(&mut self, text: &str) {
        let Ok(manifest) = serde_json::from_str::<Json>(text) else { return };
        self.json(Ecosystem::Npm, &manifest);
    }

    pub(super) fn composer(&mut self, text: &str) {
        let Ok(manifest) = serde_json::from_str::<Json>(text) else { return };
        self.json(Ecosystem::Composer, &manifest);
    }

    fn json(&mut self, ecosystem: Ecosystem, manifest: &Json) {
        self.mention(ecosystem, manifest["name"].as_str().unwrap_or_default(), None);
        let npm = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
        for kind in npm.into_iter().chain(["require", "require-dev"]) {
            for (name, range) in manifest[kind].as_object().into_iter().flatten() {
                let range = range.as_str().unwrap_or("*");
                // A renamed package: "npm:left-pad@^1".
                let renamed = range.strip_prefix("npm:").and_then(|it| it.rsplit_once('@'));
                let (package, range) = renamed.unwrap_or((name, range));
                let alias = (package != name).then(|| name.clone());
                self.mention_as(ecosystem, package, Some(range), alias);
            }
        }
    }

    pub(super) fn pyproject(&mut self, text: &str) {
        let Ok(manifest) = text.parse::<Table>() else { return };
        let project = manifest.get("project");
        let poetry = manifest.get("tool").and_then(|tool| tool.get("poetry"));
        for holder in [project, poetry].into_iter().flatten() {
            let name = holder.get("name").and_then(toml::Value::as_str).unwrap_or_default();
            self.mention(Ecosystem::Pypi, name, None);
            let optional = holder.get("optional-dependencies").and_then(toml::Value::as_table);
            let lists =
                optional.into_iter().flat_map(Table::values).chain(holder.get("dependencies"));
            for list in lists {
                let lines = list.as_array().into_iter().flatten().filter_map(toml::Value::as_str);
                lines.for_each(|line| self.requirement(line));
                for (name, range) in
                    list.as_table().into_iter().flatten().filter(|(name, _)| *name != "python")
                {
                    let version = range.get("version").and_then(toml::Value::as_str);
                    self.mention(
                        Ecosystem::Pypi,
                        name,
                        Some(range.as_str().or(version).unwrap_or("*")),
                    );
                }
            }
        }
    }

    pub(super) fn requirements(&mut self, text: &str) {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        lines.filter(|line| !line.starts_with('-')).for_each(|line| self.requirement(line));
    }

    /// Parses `name[extra] >= 1; marker`.
    fn requirement(&mut self, line: &str) {
        let line = line.split(';').next().unwrap_or_default().trim();
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let end = line.find(|c| !is_name(c)).unwrap_or(line.len());
        let (name, range) = line.split_at(end);
        let range = range.trim_start();
        let range = range
            .strip_prefix('[')
            .map_or(range, |rest| rest.split_once(']').map_or("", |it| it.1));
        self.mention(
            Ecosystem::Pypi,
            name,
            Some(if range.trim().is_empty() { "*" } else { range }),
        );
    }

    pub(super) fn maven(&mut self, text: &str) {
        let dependencies = elements(text, "dependency");
        let mut own = text.to_owned();
        for part in ["dependencies", "dependencyManagement", "build", "parent", "profiles"] {
            elements(text, part).iter().for_each(|inner| own = own.replace(inner, ""));
        }
        let parent = elements(text, "parent").first().and_then(|parent| field(parent, "groupId"));
        let group = field(&own, "groupId").or(parent).unwrap_or_default();
        let artifact = field(&own, "artifactId").unwrap_or_default();
        self.mention(Ecosystem::Maven, &format!("{group}:{artifact}"), None);
        for dependency in dependencies {
            let (Some(group), Some(artifact)) =
                (field(dependency, "groupId"), field(dependency, "artifactId"))
            else {
                continue;
            };
            let version = field(dependency, "version").unwrap_or("*");
            let property = version.strip_prefix("${").and_then(|name| name.strip_suffix('}'));
            let value = |name| field(text, name).filter(|value| !value.contains("${"));
            let version = property.map_or(version, |name| value(name).unwrap_or("*"));
            self.mention(Ecosystem::Maven, &format!("{group}:{artifact}"), Some(version));
        }
    }

    /// Parses `implementation("group:artifact:version")`.
    pub(super) fn gradle(&mut self, text: &str) {
        for literal in quoted(text) {
            let parts: Vec<&str> = literal.split(':').collect();
            if let [group, artifact, version] = parts.as_slice()
                && !literal.contains(char::is_whitespace)
            {
                self.mention(Ecosystem::Maven, &format!("{group}:{artifact}"), Some(version));
            }
        }
    }

    pub(super) fn nuget(&mut self, file: &str, text: &str) {
        let own = field(text, "PackageId").or(field(text, "AssemblyName"));
        self.mention(Ecosystem::Nuget, own.unwrap_or(file.trim_end_matches(".csproj")), None);
        for reference in text.split("<PackageReference").skip(1) {
            let reference = reference.split('>').next().unwrap_or_default();
            let value = |name: &str| {
                let (_, rest) = reference.split_once(&format!("{name}=\""))?;
                rest.split('"').next()
            };
            if let Some(name) = value("Include") {
                self.mention(Ecosystem::Nuget, name, Some(value("Version").unwrap_or("*")));
            }
        }
    }

    /// Parses a `.gemspec` or a `Gemfile`.
    pub(super) fn gems(&mut self, text: &str) {
        for line in text.lines().map(str::trim) {
            let literals = quoted(line);
            let Some((name, rest)) = literals.split_first() else { continue };
            let head = line.split(['"', '\'']).next().unwrap_or_default();
            let head = head.trim_end_matches(['(', ' ']);
            if head.ends_with(".name =") {
                self.mention(Ecosystem::Gem, name, None);
            } else if head == "gem" || head.contains(".add_") && head.ends_with("dependency") {
                let ranges = rest
                    .iter()
                    .filter(|it| it.starts_with(|c: char| "~<>=!0123456789".contains(c)));
                let ranges: Vec<&str> = ranges.copied().collect();
                let range = if ranges.is_empty() { "*".to_owned() } else { ranges.join(", ") };
                self.mention(Ecosystem::Gem, name, Some(&range));
            }
        }
    }

    /// Parses a Swift package; its name is the last part of its address.
    pub(super) fn swift(&mut self, text: &str) {
        let own = text.split_once("Package(").and_then(|(_, rest)| quoted(rest).first().copied());
        self.mention(Ecosystem::Swift, own.unwrap_or_default(), None);
        for dependency in text.split(".package(").skip(1) {
            let call = up_to_closing(dependency);
            let literals = quoted(call);
            let Some(address) = literals.iter().find(|it| it.contains('/')) else { continue };
            let name = address.trim_end_matches(".git").rsplit('/').next().unwrap_or_default();
            let range = call.split_once(address).map_or("", |(_, range)| range);
            let range = range.strip_prefix('"').unwrap_or(range);
            let range = range.trim_matches(|c: char| c.is_whitespace() || c == ',');
            self.mention(Ecosystem::Swift, name, Some(if range.is_empty() { "*" } else { range }));
        }
    }
}

/// Returns the text before the parenthesis that closes one before `text`.
fn up_to_closing(text: &str) -> &str {
    let mut open = 1;
    let end = text.find(|c: char| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open == 0
    });
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Returns the normal form of a package's name.
fn normalized(ecosystem: Ecosystem, name: &str) -> String {
    let name = name.trim();
    match ecosystem {
        Ecosystem::Cargo => name.replace('-', "_"),
        Ecosystem::Pypi => name.to_lowercase().replace(['_', '.'], "-"),
        Ecosystem::Nuget | Ecosystem::Composer | Ecosystem::Swift => name.to_lowercase(),
        Ecosystem::Go | Ecosystem::Npm | Ecosystem::Maven | Ecosystem::Gem => name.to_owned(),
    }
}
