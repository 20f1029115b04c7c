//! What in a manifest shows that a program takes time from its start until it accepts connections?
//!
//! A program of its own in Go or Rust, or a web server with files, listens within milliseconds, before any traffic source has heard of its
//! pod. A virtual machine, an interpreter with a framework, or a migration of a database takes seconds. Nothing here is certain; without
//! any sign nothing is known.

use crate::facts::pod_spec::Container;

/// Who lets a liveness probe wait so long has seen that the start takes long, in seconds. Less is written out of habit.
const LONG: i64 = 10;

/// Programs that run others and take their time for it: the first word of a command without its path, or one in a script.
const RUNTIMES: [&str; 38] = [
    "java",
    "catalina.sh",
    "mvn",
    "gradle",
    "node",
    "nodejs",
    "nodemon",
    "npm",
    "npx",
    "pnpm",
    "yarn",
    "bun",
    "ts-node",
    "next",
    "nuxt",
    "pm2",
    "python",
    "python2",
    "python3",
    "poetry",
    "uv",
    "gunicorn",
    "uvicorn",
    "hypercorn",
    "daphne",
    "flask",
    "fastapi",
    "streamlit",
    "manage.py",
    "ruby",
    "rails",
    "puma",
    "unicorn",
    "rackup",
    "bundle",
    "dotnet",
    "artisan",
    "mix",
];

/// Files that only such a program runs.
const FILES: [&str; 6] = [".jar", ".war", ".dll", ".py", ".js", ".rb"];

/// How the names of variables begin that such a program, or a framework for it, reads.
const VARIABLES: [&str; 30] = [
    "ASPNETCORE_",
    "CATALINA_",
    "DJANGO_",
    "DOTNET_",
    "EUREKA_",
    "FLASK_",
    "GUNICORN_",
    "JAVA_",
    "JDK_",
    "JVM_",
    "KC_",
    "KEYCLOAK_",
    "MICRONAUT_",
    "NEXTAUTH_",
    "NEXT_",
    "NODE_ENV",
    "NODE_OPTIONS",
    "NODE_EXTRA_CA_CERTS",
    "NODE_PATH",
    "NPM_",
    "NUXT_",
    "PUMA_",
    "PYTHON",
    "QUARKUS_",
    "RACK_ENV",
    "RAILS_",
    "SPRING_",
    "UVICORN_",
    "WEB_CONCURRENCY",
    "_JAVA_OPTIONS",
];

/// Words in the last part of an image's name, or in its tag.
const WORDS: [&str; 43] = [
    "airflow",
    "aspnet",
    "aspnetcore",
    "cassandra",
    "confluence",
    "django",
    "dotnet",
    "drupal",
    "elasticsearch",
    "fastapi",
    "flask",
    "gitlab",
    "gunicorn",
    "java",
    "jdk",
    "jenkins",
    "jira",
    "jre",
    "jupyter",
    "jupyterhub",
    "keycloak",
    "moodle",
    "nestjs",
    "nextcloud",
    "nextjs",
    "nodejs",
    "odoo",
    "openjdk",
    "opensearch",
    "python",
    "quarkus",
    "rails",
    "ruby",
    "solr",
    "sonarqube",
    "spring",
    "springboot",
    "streamlit",
    "superset",
    "temurin",
    "tomcat",
    "wildfly",
    "wordpress",
];

/// The last parts of names of images of well-known programs in such a language, or that prepare a database when they start.
const PROGRAMS: [&str; 36] = [
    "activemq-artemis",
    "artifactory",
    "backstage",
    "discourse",
    "ghost",
    "home-assistant",
    "homeassistant",
    "immich-server",
    "jellyfin",
    "joomla",
    "kibana",
    "label-studio",
    "litellm",
    "magento",
    "mastodon",
    "matomo",
    "mediawiki",
    "metabase",
    "mlflow",
    "n8n",
    "neo4j",
    "netbox",
    "nexus3",
    "nifi",
    "node",
    "open-webui",
    "openproject",
    "outline",
    "paperless-ngx",
    "redmine",
    "sentry",
    "strapi",
    "synapse",
    "trino",
    "tritonserver",
    "vllm-openai",
];

/// Does an environment variable tell of it? A database is reached through `jdbc:` from a virtual machine alone.
fn by_variables(container: &Container) -> bool {
    container.env.iter().any(|variable| {
        let value = variable.value.as_deref();
        let begins = |start: &&str| variable.name.starts_with(start);
        VARIABLES.iter().any(begins) || value.is_some_and(|value| value.starts_with("jdbc:"))
    })
}

/// Do the words of its command, or of a script in it?
fn by_command(container: &Container) -> bool {
    let separators = |each: char| each.is_whitespace() || ";&|()\"'".contains(each);
    let mut words = container.words().flat_map(|text| text.split(separators));
    words.any(|word| {
        let base = word.rsplit('/').next().unwrap_or_default();
        let runs = || FILES.iter().any(|end| base.ends_with(end) && base != *end);
        // An option's value is a file of configuration, not what runs.
        RUNTIMES.contains(&base)
            || !word.starts_with('-') && runs()
            || ["migrate", "migration", "migrations"].contains(&base)
    })
}

fn by_image(container: &Container) -> bool {
    let program = container.program();
    let tag = container.tag();
    let mut words = [program, tag]
        .into_iter()
        .flat_map(|text| text.split(|each: char| !each.is_ascii_lowercase()));
    PROGRAMS.contains(&program) || words.any(|word| WORDS.contains(&word))
}

/// Words in the names of images with pages for browsers, which a web server hands out that listens at once.
const PAGES: [&str; 14] = [
    "angular", "assets", "client", "docs", "frontend", "front", "landing", "react", "site", "spa",
    "static", "ui", "vue", "website",
];

/// The ports of web servers with files. Those that run JavaScript themselves listen on others (Next.js and Nuxt on 3000).
const FILES_PORTS: [u16; 2] = [80, 8080];

/// May it be a web server with files, by its image?
fn serves_files(container: &Container) -> bool {
    let mut words = container.program().split(['-', '_', '.']);
    words.any(|word| PAGES.contains(&word))
}

/// Does anything show that a container takes time to start? Of a web server with files a liveness probe shows nothing: its delay is habit.
#[must_use]
pub fn takes_time(container: &Container) -> bool {
    let probe = container.liveness.as_ref();
    let waits = probe.is_some_and(|probe| probe.initial_delay_seconds >= LONG);
    let mut ports = container.ports.iter();
    let mut files =
        || serves_files(container) && ports.any(|port| FILES_PORTS.contains(&port.number));
    by_variables(container) || by_command(container) || by_image(container) || waits && !files()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::pod_spec::EnvVar;

    fn of(image: &str, command: &[&str], variable: Option<(&str, &str)>) -> bool {
        let env = variable.map(|(name, value)| EnvVar {
            name: name.to_owned(),
            value: Some(value.to_owned()),
        });
        takes_time(&Container {
            image: image.to_owned(),
            command: command.iter().map(|&word| word.to_owned()).collect(),
            env: env.into_iter().collect(),
            ..Container::default()
        })
    }

    #[test]
    fn images_tell_what_runs_in_them() {
        for (image, expected) in [
            ("python:3.13", true),
            ("registry.example.com:5000/shop/spring-boot-web:1", true),
            ("example/web:1.4-jre21@sha256:0", true),
            ("tomcat", true),
            ("node:22-alpine", true),
            ("prom/node-exporter:v1", false),
            ("example/web:1", false),
            ("example/java-shop/web", false),
            ("nginx", false),
            ("", false),
        ] {
            assert_eq!(of(image, &[], None), expected, "{image}");
        }
    }

    #[test]
    fn commands_tell_what_they_run() {
        for (command, expected) in [
            (&["java", "-jar", "/app.jar"][..], true),
            (&["/usr/bin/python3", "-m", "http.server"], true),
            (&["sh", "-c", "./wait && npm start"], true),
            (&["sh", "-c", "./web migrate; exec ./web"], true),
            (&["/app/Web.dll"], true),
            (&["./server", "--config", "/etc/web.yaml"], false),
            (&["./nodes"], false),
            (&["nginx", "-g", "daemon off;"], false),
            (&[], false),
        ] {
            assert_eq!(of("example/web:1", command, None), expected, "{command:?}");
        }
    }

    #[test]
    fn variables_tell_who_reads_them() {
        for (name, value, expected) in [
            ("JAVA_OPTS", "-Xmx1g", true),
            ("SPRING_PROFILES_ACTIVE", "prod", true),
            ("NODE_ENV", "production", true),
            ("DATABASE", "jdbc:postgresql://db/shop", true),
            ("NODE_NAME", "a", false),
            ("PORT", "8080", false),
        ] {
            let found = of("example/web:1", &[], Some((name, value)));
            assert_eq!(found, expected, "{name}");
        }
    }
}
