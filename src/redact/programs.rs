//! Which programs take a secret under a letter, which says nothing of it?

/// A program, and the letter under which it takes a secret.
pub(super) struct Program {
    /// How its name begins: `mysql` is `mysqldump` too.
    begins: &'static str,
    /// The flag.
    flag: &'static str,
    /// The secret is the rest of the same word, and never the next one.
    joined: bool,
}

const fn next(begins: &'static str, flag: &'static str) -> Program {
    Program {
        begins,
        flag,
        joined: false,
    }
}

const fn joined(begins: &'static str, flag: &'static str) -> Program {
    Program {
        begins,
        flag,
        joined: true,
    }
}

impl Program {
    /// Is what comes after this word the secret? Some want it in the same word.
    pub(super) fn takes_next(&self, before: &str, attached: bool) -> bool {
        before == self.flag && (attached || !self.joined)
    }
}

/// By their manuals; `--user` and the like are known by name.
const PROGRAMS: [Program; 19] = [
    // https://dev.mysql.com/doc/refman/8.4/en/connecting.html: no space before the password.
    joined("mysql", "-p"),
    joined("mariadb", "-p"),
    joined("7z", "-p"),
    next("sshpass", "-p"),
    // https://redis.io/docs/latest/develop/tools/cli/
    next("redis-cli", "-a"),
    next("valkey-cli", "-a"),
    next("keydb-cli", "-a"),
    // https://www.mongodb.com/docs/mongodb-shell/reference/options/
    next("mongo", "-p"),
    // https://www.openldap.org/software/man.cgi?query=ldapsearch
    next("ldap", "-w"),
    next("rabbitmqadmin", "-p"),
    next("sqlcmd", "-P"),
    next("bcp", "-P"),
    next("docker", "-p"),
    next("podman", "-p"),
    next("helm", "-p"),
    next("zip", "-P"),
    next("unzip", "-P"),
    next("mosquitto_", "-P"),
    next("cqlsh", "-p"),
];

/// The program that a word of a command names.
pub(super) fn known(word: &str) -> Option<&'static Program> {
    let name = word.rsplit('/').next().unwrap_or_default();
    PROGRAMS
        .iter()
        .find(|program| name.starts_with(program.begins))
}

/// Where in a word of its command the secret begins.
pub(super) fn secret(program: &Program, before: &str, word: &str) -> Option<usize> {
    // `docker run -p 80:80` is a port.
    let port = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b':')
    };
    let rest = word.strip_prefix(program.flag);
    match rest {
        Some(rest) if !rest.is_empty() && !rest.starts_with(['$', '=']) => {
            (!port(rest)).then_some(program.flag.len())
        }
        _ if program.joined || before != program.flag => None,
        _ => (!word.starts_with(['-', '$', '`']) && !port(word)).then_some(0),
    }
}
