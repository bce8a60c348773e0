//! Secrets made from the formats that vendors publish, in the settings where people leave them; and ordinary text.
//!
//! Formats are written as `{class:count}` so that no file holds anything that looks alive. A seeded generator fills them.
#![allow(clippy::panic, clippy::expect_used)] // test code: a mistyped format must fail loudly

/// A small reproducible generator (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn of(&mut self, letters: &str) -> char {
        letters.as_bytes()[self.below(letters.len())] as char
    }
}

fn letters(class: &str) -> &'static str {
    match class {
        "w" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "l" => "abcdefghijklmnopqrstuvwxyz0123456789",
        "u" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "h" => "0123456789abcdef",
        "H" => "0123456789ABCDEF",
        "d" => "0123456789",
        "b" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "s" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
        "a" => "abcdefghijklmnopqrstuvwxyz",
        "A" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        "t" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "p" => "ABCDEFGHJKMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789!#%+*?",
        other => panic!("no class {other}"),
    }
}

/// Fills a format: `{h:32}`, `{w:20-40}`, `{uuid}`, `{jwt}`.
pub fn fill(format: &str, dice: &mut Dice) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let (spec, tail) = after.split_once('}').expect("closed");
        out.push_str(&filled(spec, dice));
        rest = tail;
    }
    out + rest
}

fn filled(spec: &str, dice: &mut Dice) -> String {
    match spec {
        "uuid" => fill("{h:8}-{h:4}-4{h:3}-a{h:3}-{h:12}", dice),
        "jwt" => fill("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI{s:40-90}.{s:43}", dice),
        "pw" => fill(
            ["{A:5-8}{d:2}{p:2-4}", "{p:12-18}", "{a:6-9}{d:3-4}"][dice.below(3)],
            dice,
        ),
        _ => {
            let (class, count) = spec.split_once(':').expect("class and count");
            let count = match count.split_once('-') {
                None => count.parse().expect("a number"),
                Some((least, most)) => {
                    let (least, most): (usize, usize) =
                        (least.parse().expect("least"), most.parse().expect("most"));
                    least + dice.below(most - least + 1)
                }
            };
            (0..count).map(|_| dice.of(letters(class))).collect()
        }
    }
}

/// Tokens that say what they are: family and format.
pub const TOKENS: &[(&str, &str)] = &[
    ("cloud", "AKIA{t:16}"),
    ("cloud", "ASIA{t:16}"),
    ("cloud", "amzn.mws.{uuid}"),
    ("cloud", "AIza{s:35}"),
    ("cloud", "ya29.a0{s:60-160}"),
    ("cloud", "GOCSPX-{s:28}"),
    ("cloud", "{w:3}8Q~{w:34}"),
    ("cloud", "dop_v1_{h:64}"),
    ("cloud", "doo_v1_{h:64}"),
    ("cloud", "dor_v1_{h:64}"),
    ("cloud", "LTAI{w:20}"),
    ("cloud", "fo1_{s:43}"),
    ("cloud", "fm2_{b:120}"),
    ("cloud", "HRKU-AA{s:58}"),
    ("cloud", "pscale_tkn_{s:43}"),
    ("cloud", "pscale_pw_{s:43}"),
    ("cloud", "tk-us-{s:48}"),
    ("cloud", "v1.0-{h:24}-{h:146}"),
    ("cloud", "dapi{h:32}"),
    ("cloud", "sha256~{s:43}"),
    ("cloud", "4b1d{w:38}"),
    ("cloud", "nfp_{w:40}"),
    ("cloud", "sbp_{h:40}"),
    ("cloud", "tskey-auth-k{w:11}-{w:32}"),
    ("cloud", "{b:76}+ASt{b:5}=="),
    ("cloud", "{w:52}JQQJ99{w:26}"),
    ("cloud", "{w:76}AZDO{w:4}"),
    ("git-host", "ghp_{w:36}"),
    ("git-host", "gho_{w:36}"),
    ("git-host", "ghu_{w:36}"),
    ("git-host", "ghs_{w:36}"),
    ("git-host", "ghr_{w:76}"),
    ("git-host", "github_pat_{w:22}_{w:59}"),
    ("git-host", "glpat-{s:20}"),
    ("git-host", "gldt-{s:20}"),
    ("git-host", "glrt-{s:20}"),
    ("git-host", "glptt-{h:40}"),
    ("git-host", "glft-{s:20}"),
    ("git-host", "glsoat-{s:20}"),
    ("git-host", "glimt-{s:25}"),
    ("git-host", "glagent-{s:50}"),
    ("git-host", "gloas-{s:64}"),
    ("git-host", "glcbt-{w:4}_{s:20}"),
    ("git-host", "glpat-{s:30}.{l:2}{l:7}"),
    ("git-host", "GR1348941{s:20}"),
    ("git-host", "ATBB{w:24}{H:8}"),
    ("git-host", "sgp_{h:16}_{h:40}"),
    ("git-host", "sgp_{h:40}"),
    ("registry", "npm_{w:36}"),
    ("registry", "pypi-AgEIcHlwaS5vcmc{s:70-160}"),
    ("registry", "rubygems_{h:48}"),
    ("registry", "cio{w:32}"),
    ("registry", "oy2{l:43}"),
    ("registry", "dckr_pat_{s:27}"),
    ("registry", "AKCp{w:69}"),
    ("registry", "cmVmdGtuO{w:55}"),
    ("registry", "CLOJARS_{l:60}"),
    ("payment", "sk_live_{w:24}"),
    ("payment", "sk_test_{w:99}"),
    ("payment", "rk_live_{w:24}"),
    ("payment", "whsec_{w:32}"),
    ("payment", "sq0atp-{s:22}"),
    ("payment", "sq0csp-{s:43}"),
    ("payment", "EAAA{s:60}"),
    ("payment", "access_token$production${l:16}${h:32}"),
    ("payment", "access-sandbox-{uuid}"),
    ("payment", "rzp_live_{w:14}"),
    ("payment", "FLWSECK_TEST-{h:32}-X"),
    ("payment", "EZAK{w:54}"),
    ("payment", "duffel_live_{s:43}"),
    ("payment", "shippo_live_{h:40}"),
    ("chat", "xoxb-{d:12}-{d:12}-{w:24}"),
    ("chat", "xoxp-{d:12}-{d:12}-{d:12}-{h:32}"),
    ("chat", "xoxa-2-{w:30}"),
    ("chat", "xapp-1-A{u:10}-{d:13}-{h:64}"),
    ("chat", "xoxe.xoxp-1-{u:163}"),
    ("chat", "xoxs-{d:10}-{d:10}-{d:10}-{h:10}"),
    (
        "chat",
        "https://hooks.slack.com/services/T{u:8}/B{u:10}/{w:24}",
    ),
    ("chat", "https://discord.com/api/webhooks/{d:18}/{s:68}"),
    ("chat", "{d:10}:AA{s:33}"),
    ("chat", "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl{w:4}.{s:27}"),
    ("chat", "EAACEdEose0cBA{w:40}"),
    ("chat", "AAAAAAAAAAAAAAAAAAAAAA{w:90}"),
    ("chat", "{w:11}AAAAAAAAAA{s:43}"),
    (
        "chat",
        "https://acme.webhook.office.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/{h:32}/{uuid}",
    ),
    ("model", "sk-ant-api03-{s:93}AA"),
    ("model", "sk-ant-oat01-{s:86}"),
    ("model", "sk-ant-admin01-{s:93}AA"),
    ("model", "sk-proj-{s:74}T3BlbkFJ{s:74}"),
    ("model", "sk-{w:20}T3BlbkFJ{w:20}"),
    ("model", "sk-svcacct-{s:58}T3BlbkFJ{s:58}"),
    ("model", "sk-{h:32}"),
    ("model", "sk-or-v1-{h:64}"),
    ("model", "hf_{A:34}"),
    ("model", "api_org_{A:34}"),
    ("model", "gsk_{w:52}"),
    ("model", "xai-{w:80}"),
    ("model", "pplx-{w:48}"),
    ("model", "r8_{w:37}"),
    ("model", "nvapi-{s:64}"),
    ("model", "jina_{w:60}"),
    ("model", "lsv2_pt_{h:32}_{h:10}"),
    ("model", "tgp_v1_{s:43}"),
    ("telephony", "SK{h:32}"),
    ("telephony", "SG.{s:22}.{s:43}"),
    ("telephony", "key-{h:32}"),
    ("telephony", "{h:32}-us1{d:1}"),
    ("telephony", "xkeysib-{h:64}-{w:16}"),
    ("telephony", "re_{w:8}_{w:24}"),
    ("telephony", "mlsn.{h:64}"),
    ("service", "ops_eyJ{b:300}"),
    ("service", "A3-{u:6}-{u:11}-{u:5}-{u:5}-{u:5}"),
    ("service", "p8e-{l:32}"),
    ("service", "pat{w:14}.{h:64}"),
    ("service", "ATATT3xFfGF0{s:171}={H:8}"),
    ("service", "bkua_{h:40}"),
    ("service", "CCIPAT_{w:22}_{h:40}"),
    ("service", "dp.pt.{w:43}"),
    ("service", "dt0c01.{u:24}.{u:64}"),
    ("service", "figd_{s:40}"),
    ("service", "fio-u-{s:64}"),
    ("service", "glsa_{w:32}_{h:8}"),
    ("service", "glc_{b:80}"),
    ("service", "eyJrIjoi{w:90}"),
    ("service", "pat.{s:22}.{w:24}.{w:20}"),
    ("service", "{w:14}.atlasv1.{s:67}"),
    ("service", "hvs.{s:95}"),
    ("service", "hvb.{s:140}"),
    ("service", "pat-na1-{uuid}"),
    ("service", "ico-{w:32}"),
    ("service", "lin_api_{w:40}"),
    ("service", "pk.{l:60}.{l:22}"),
    ("service", "{w:6}_{w:29}_mmk"),
    ("service", "NRAK-{u:27}"),
    ("service", "NRII-{s:32}"),
    ("service", "ntn_{d:11}{w:35}"),
    ("service", "secret_{w:43}"),
    ("service", "API-{u:26}"),
    ("service", "PMAK-{h:24}-{h:34}"),
    ("service", "pnu_{w:36}"),
    ("service", "pul-{h:40}"),
    ("service", "rdme_{l:70}"),
    ("service", "sntrys_eyJpYXQiO{w:80}_{w:43}"),
    ("service", "sntryu_{h:64}"),
    ("service", "shpat_{h:32}"),
    ("service", "shpss_{h:32}"),
    ("service", "squ_{h:40}"),
    ("service", "tfp_{s:59}"),
    ("service", "s-s4t2ud-{h:64}"),
    ("service", "sm_pat_{w:16}"),
    ("service", "dnkey-{s:26}-{s:52}"),
    ("service", "sl.{s:135}"),
    ("private-key", "AGE-SECRET-KEY-1{t:58}"),
    ("jwt", "{jwt}"),
];

/// Values that need their vendor's name: family, name, format.
pub const NAMED: &[(&str, &str, &str)] = &[
    ("cloud", "aws_secret_access_key", "{b:40}"),
    ("cloud", "cloudflare", "{s:40}"),
    ("cloud", "heroku", "{uuid}"),
    ("cloud", "fastly", "{s:32}"),
    ("cloud", "confluent", "{w:64}"),
    ("cloud", "netlify", "{s:43}"),
    ("cloud", "alibaba", "{w:30}"),
    ("git-host", "bitbucket", "{w:32}"),
    ("git-host", "gitter", "{l:40}"),
    ("registry", "artifactory", "{w:73}"),
    ("payment", "coinbase", "{l:64}"),
    ("payment", "kraken", "{b:86}"),
    ("payment", "kucoin", "{uuid}"),
    ("payment", "finnhub", "{l:20}"),
    ("payment", "plaid", "{l:30}"),
    ("payment", "bittrex", "{l:32}"),
    ("payment", "squarespace", "{uuid}"),
    ("chat", "discord", "{h:64}"),
    ("chat", "facebook", "{h:32}"),
    ("chat", "mattermost", "{l:26}"),
    ("chat", "twitch", "{l:30}"),
    ("chat", "twitter", "{w:50}"),
    ("chat", "linkedin", "{w:16}"),
    ("chat", "telegram", "{d:8}:A{s:34}"),
    ("chat", "sendbird", "{h:40}"),
    ("model", "cohere", "{w:40}"),
    ("telephony", "mailchimp", "{h:32}-us20"),
    ("telephony", "mailgun", "{h:32}-{h:8}-{h:8}"),
    ("telephony", "messagebird", "{l:25}"),
    ("service", "adafruit", "{l:32}"),
    ("service", "airtable", "{w:17}"),
    ("service", "algolia", "{l:32}"),
    ("service", "asana", "{l:32}"),
    ("service", "atlassian", "{l:20}{h:4}"),
    ("service", "codecov", "{l:32}"),
    ("service", "contentful", "{s:43}"),
    ("service", "datadog", "{l:40}"),
    ("service", "droneci", "{l:32}"),
    ("service", "dropbox", "{l:15}"),
    ("service", "etsy", "{l:24}"),
    ("service", "flickr", "{l:32}"),
    ("service", "hubspot", "{uuid}"),
    ("service", "intercom", "{s:60}"),
    ("service", "launchdarkly", "{s:40}"),
    ("service", "new_relic", "{l:64}"),
    ("service", "nytimes", "{s:32}"),
    ("service", "okta", "00{s:40}"),
    ("service", "rapidapi", "{s:50}"),
    ("service", "sentry", "{h:64}"),
    ("service", "snyk", "{uuid}"),
    ("service", "sonar", "{l:40}"),
    ("service", "sumo", "{l:64}"),
    ("service", "travis", "{l:22}"),
    ("service", "zendesk", "{l:40}"),
    ("service", "adobe", "{h:32}"),
];

/// Names that make any random value a secret.
const NAMES: &[&str] = &[
    "api_key",
    "apiKey",
    "API_KEY",
    "secret",
    "client_secret",
    "clientSecret",
    "SECRET_KEY",
    "auth_token",
    "accessToken",
    "ACCESS_TOKEN",
    "private_key_id_secret",
    "encryption_key",
    "session_token",
    "webhook_secret",
    "signingKey",
    "app-secret",
];

const PASSWORD_NAMES: &[&str] = &[
    "password",
    "DB_PASSWORD",
    "dbPassword",
    "passwd",
    "root_pwd",
    "smtp_pass",
    "user.password",
    "SPRING_DATASOURCE_PASSWORD",
    "ldap-password",
    "passphrase",
];

/// How a token stands in text; `@` is the token.
const AROUND_TOKEN: &[&str] = &[
    "@",
    "token: @",
    "export TOKEN=@",
    "\"@\"",
    "'@'",
    "`@`",
    "curl -H 'X-Auth: @' https://host.invalid",
    "(@)",
    "<k>@</k>",
    "error: bad credential @ was refused",
    "a=1&t=@&b=2",
    "line\\n@\\nline",
    "{\"k\":\"@\"}",
    "k=\\\"@\\\"",
    "x,@,y",
    "[@]",
    "@;",
    "t:@",
    "text before\n@\ntext after",
    "%22@%22",
];

/// How an assignment stands in text; `#` is the name and `@` the value.
const ASSIGNMENTS: &[&str] = &[
    "#=@",
    "#=\"@\"",
    "#='@'",
    "# = \"@\"",
    "# = '@'",
    "#: \"@\"",
    "#: @",
    "export #=@",
    "\"#\": \"@\"",
    "\"#\":\"@\"",
    "'#': '@'",
    "# := \"@\"",
    "#:\"@\",",
    "\"#\" => \"@\"",
    "set #=@",
    "<#>@</#>",
    "<add key=\"#\" value=\"@\"/>",
    "const # = `@`;",
    "{\\\"#\\\":\\\"@\\\"}",
    "var # string = \"@\"",
    "let #: String = \"@\".into();",
    "#: str = \"@\"",
    "os.environ[\"#\"] = \"@\"",
    "- name: #\n  value: \"@\"",
    "--#=@",
    "-D#=@",
    "#=@\nNEXT=1",
    "config.set(\"#\", \"@\")",
    "#?=@",
    "if # == \"@\" {",
    "https://h.invalid/p?#=@",
];

/// Whole forms; the text between `«` and `»` is the secret.
const FORMS: &[(&str, &str)] = &[
    ("url", "postgres://app:«{pw}»@db.internal:5432/app"),
    ("url", "https://deploy:«{w:20}»@git.internal/x.git"),
    (
        "url",
        "mongodb+srv://root:«{w:16}»@cluster0.mongodb.net/?w=1",
    ),
    ("url", "redis://:«{h:32}»@cache:6379/0"),
    ("url", "amqp://svc:«{pw}»@mq:5672/%2f"),
    ("url", "https://«{w:40}»@git.internal/x.git"),
    ("url", "DATABASE_URL=\"mysql://u:«{pw}»@h/db\""),
    ("url", "ftp://files:«{w:10}»@ftp.internal"),
    ("connection", "app:«{w:14}»@tcp(10.0.0.1:3306)/shop"),
    (
        "connection",
        "Server=tcp:x.database.windows.net,1433;User ID=sa;Password=«{w:6}{d:3}»;Encrypt=True",
    ),
    ("connection", "Data Source=db;User Id=sa;Pwd=«{w:9}{d:2}»;"),
    (
        "connection",
        "jdbc:mysql://h:3306/x?user=root&password=«{w:9}{d:2}»",
    ),
    ("connection", "host=h user=u password=«{w:9}{d:3}» dbname=d"),
    (
        "connection",
        "AccountName=x;AccountKey=«{b:86}==»;EndpointSuffix=core.windows.net",
    ),
    (
        "connection",
        "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=«{b:43}=»",
    ),
    (
        "connection",
        "machine h.invalid login bot password «{w:12}{d:2}»",
    ),
    ("connection", "//registry.npmjs.org/:_authToken=«{uuid}»"),
    ("header", "Authorization: Bearer «{w:40}»"),
    ("header", "authorization: bearer «{h:32}»"),
    ("header", "Authorization: token «{h:40}»"),
    ("header", "-H \"Authorization: Bearer «{w:30}»\""),
    ("header", "'Authorization': 'Bearer «{s:43}»'"),
    ("header", "Authorization: «{w:32}»"),
    ("header", "curl -u admin:«{w:12}» https://h.invalid"),
    ("header", "curl --user \"svc:«{pw}»\" https://h.invalid"),
    ("header", "X-Api-Key: «{w:32}»"),
    ("header", "PRIVATE-TOKEN: «{w:20}»"),
    ("header", "X-Vault-Token: «{w:26}»"),
];

/// One positive case: where the secret is in `text`.
pub struct Case {
    pub family: &'static str,
    pub text: String,
    pub secret: String,
}

/// All positive cases of one seed.
pub fn positives(dice: &mut Dice, rounds: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    for _ in 0..rounds {
        for (family, format) in TOKENS {
            let secret = fill(format, dice);
            let text = AROUND_TOKEN[dice.below(AROUND_TOKEN.len())].replace('@', &secret);
            cases.push(Case {
                family,
                text,
                secret,
            });
        }
        for (family, name, format) in NAMED {
            let secret = fill(format, dice);
            let name = match (dice.below(4), name.len() > 14) {
                (_, true) => (*name).to_owned(),
                (0, _) => format!("{}_API_KEY", name.to_ascii_uppercase()),
                (1, _) => format!("{name}Token"),
                (2, _) => format!("{name}_secret"),
                _ => format!("my.{name}.key"),
            };
            cases.push(assigned(family, &name, secret, dice));
        }
        for name in NAMES {
            let format = [
                "{w:32}",
                "{h:32}",
                "{w:20-60}",
                "{b:44}",
                "{s:24-48}",
                "{l:24}",
                "{uuid}",
                "{h:64}",
            ][dice.below(8)];
            let secret = fill(format, dice);
            cases.push(assigned("assignment", name, secret, dice));
        }
        for name in PASSWORD_NAMES {
            let secret = fill("{pw}", dice);
            cases.push(assigned("assignment", name, secret, dice));
        }
        forms(dice, &mut cases);
        keys(dice, &mut cases);
    }
    cases
}

fn assigned(family: &'static str, name: &str, secret: String, dice: &mut Dice) -> Case {
    let text = ASSIGNMENTS[dice.below(ASSIGNMENTS.len())].replace('#', name);
    Case {
        family,
        text: text.replace('@', &secret),
        secret,
    }
}

fn forms(dice: &mut Dice, cases: &mut Vec<Case>) {
    for (family, form) in FORMS {
        let text = fill(form, dice);
        let (before, after) = text.split_once('«').expect("marked");
        let (secret, after) = after.split_once('»').expect("marked");
        cases.push(Case {
            family,
            text: format!("{before}{secret}{after}"),
            secret: secret.to_owned(),
        });
    }
    let plain = fill("svc:{w:16}", dice);
    let secret = base64(plain.as_bytes());
    for form in [
        "Authorization: Basic @",
        "\"authorization\": \"Basic @\"",
        "{\"auths\":{\"r.invalid\":{\"auth\":\"@\"}}}",
        "_auth=@",
    ] {
        cases.push(Case {
            family: "header",
            text: form.replace('@', &secret),
            secret: secret.clone(),
        });
    }
}

fn keys(dice: &mut Dice, cases: &mut Vec<Case>) {
    let dashes = "-".repeat(5);
    for label in [
        "RSA PRIVATE KEY",
        "PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "DSA PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        let lines: Vec<String> = (0..6 + dice.below(20))
            .map(|_| fill("{b:64}", dice))
            .collect();
        let last = fill("{b:21}==", dice);
        for (ends, join) in [
            (true, "\n"),
            (true, "\\n"),
            (false, "\n"),
            (true, "\\n\" +\n    \""),
        ] {
            let closing = if ends {
                format!("{join}{dashes}END {label}{dashes}")
            } else {
                String::new()
            };
            let body = format!("{}{join}{last}", lines.join(join));
            let text = format!("key: \"{dashes}BEGIN {label}{dashes}{join}{body}{closing}");
            cases.push(Case {
                family: "private-key",
                text,
                secret: body,
            });
        }
    }
}

/// Standard base64 with padding.
pub fn base64(bytes: &[u8]) -> String {
    let table = letters("b").as_bytes();
    bytes
        .chunks(3)
        .map(|chunk| {
            let word = chunk
                .iter()
                .fold(0u32, |word, byte| word << 8 | u32::from(*byte))
                << (8 * (3 - chunk.len()));
            (0..4)
                .map(|place| match place <= chunk.len() {
                    true => table[(word >> (18 - 6 * place) & 63) as usize] as char,
                    false => '=',
                })
                .collect::<String>()
        })
        .collect()
}
