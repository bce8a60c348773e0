//! Developer platforms, data services, identity and the addresses of hooks.

use super::{Rule, token};
use crate::family::Family::{PrivateKey, Service};

const UUID: &str = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";

pub(crate) const TOKENS: &[Rule] = &[
    token(
        PrivateKey,
        "minisign",
        &["RWRTY0Iy"],
        "[A-Za-z0-9+/]{100,}={0,2}",
    ),
    token(
        Service,
        "Aikido",
        &["AIK_CI_", "AIK_SECRET_"],
        "[A-Za-z0-9]{20,}",
    ),
    token(Service, "Apify", &["apify_api_"], "[A-Za-z0-9]{30,}"),
    token(Service, "Brave", &["BSA"], "[A-Za-z0-9_-]{24,40}")
        .entropy(4.0)
        .digit(),
    token(
        Service,
        "Buildkite",
        &[
            "bkaa_", "bkar_", "bkpat_", "bkps_", "bkaj_", "bkct_", "bkpt_",
        ],
        "[A-Za-z0-9_-]{50,}",
    )
    .entropy(3.5)
    .digit(),
    token(Service, "Canva", &["cnvca"], "[A-Za-z0-9_-]{51}").entropy(3.5),
    token(
        Service,
        "Cloudsmith",
        &["csa_"],
        "[a-f0-9]{30}[A-Za-z0-9]{6}",
    ),
    token(
        Service,
        "ConfigCat",
        &["configcat-sdk-1/"],
        "[A-Za-z0-9_-]{22}/[A-Za-z0-9_-]{22}",
    ),
    token(Service, "Confluent", &["cflt"], "[A-Za-z0-9+/]{60}")
        .entropy(4.0)
        .digit(),
    token(
        Service,
        "DataStax",
        &["AstraCS:"],
        "[A-Za-z0-9]{20,}:?[a-f0-9]{0,64}",
    ),
    token(Service, "Deno", &["ddp_", "ddo_"], "[A-Za-z0-9]{36}")
        .entropy(3.0)
        .digit(),
    token(
        Service,
        "DevCycle",
        &["dvc_server_", "dvc_client_", "dvc_mobile_"],
        "[A-Za-z0-9_]{8,}",
    )
    .digit(),
    token(Service, "Devin", &["apk_user_"], "[A-Za-z0-9+/]{60,}={0,2}").digit(),
    token(Service, "Devin", &["apk_"], "[A-Za-z0-9+/]{80,100}={0,2}").digit(),
    token(Service, "Devin", &["cog_"], "[a-z2-7]{52}").digit(),
    token(Service, "Elastic", &["essu_"], "[A-Za-z0-9_-]{60,}={0,2}"),
    token(
        Service,
        "GC Notify",
        &["gcntfy-"],
        "[A-Za-z0-9_]{1,60}-[0-9a-f-]{73}",
    ),
    token(
        Service,
        "Intercom",
        &["dG9rO"],
        "[A-Za-z0-9+/]{50,70}={0,2}",
    )
    .entropy(3.5)
    .digit(),
    token(Service, "Lichess", &["lip_"], "[A-Za-z0-9]{16,60}")
        .entropy(3.0)
        .digit(),
    token(
        Service,
        "Mergify",
        &["mergify_application_key_"],
        "[A-Za-z0-9_-]{40,}",
    ),
    token(
        Service,
        "Miro",
        &["eyJtaXJv"],
        "[A-Za-z0-9-]{10,64}_[A-Za-z0-9_-]{20,64}",
    ),
    token(Service, "Nightfall", &["NF-"], "[A-Za-z0-9]{32}")
        .entropy(3.5)
        .digit(),
    token(Service, "Nylas", &["nyk_"], "[A-Za-z0-9_]{60,}").digit(),
    token(
        Service,
        "Onfido",
        &[
            "api_live.",
            "api_live_us.",
            "api_live_ca.",
            "api_sandbox.",
            "api_sandbox_us.",
            "api_sandbox_ca.",
        ],
        "[A-Za-z0-9_.-]{20,80}",
    )
    .entropy(3.0)
    .digit(),
    token(
        Service,
        "PagerDuty",
        &["events.pagerduty.com/integration/"],
        "[0-9a-f]{32}",
    )
    .free()
    .kept(),
    token(
        Service,
        "Persona",
        &["persona_production_", "persona_sandbox_"],
        "[A-Za-z0-9_-]{20,}",
    )
    .digit(),
    token(Service, "Pinterest", &["pina_"], "[A-Za-z0-9_-]{30,}").digit(),
    token(Service, "Postman", &["PMAT-"], "[A-Z0-9]{26}").digit(),
    token(Service, "Rootly", &["rootly_"], "[a-f0-9]{64}"),
    token(
        Service,
        "Salesforce",
        &["!AQ", "!AR"],
        "[A-Za-z0-9._-]{60,}",
    )
    .head("00D[A-Za-z0-9]{12}"),
    token(Service, "Samsara", &["samsara_api_"], "[A-Za-z0-9]{26,32}"),
    token(Service, "Segment", &["sgp_"], "[A-Za-z0-9]{64}")
        .entropy(3.5)
        .digit(),
    token(Service, "Tableau", &["==:"], "[A-Za-z0-9]{32}")
        .head("[A-Za-z0-9+/]{22}")
        .digit(),
    token(Service, "Thunderstore", &["tss_"], "[A-Za-z0-9_-]{20,80}")
        .entropy(3.8)
        .digit(),
    token(Service, "Val Town", &["vtwn_"], "[A-Za-z0-9_-]{20,80}").digit(),
    token(
        Service,
        "Workato",
        &["wrka-eyJ", "wrkaeu-eyJ", "wrkaus-eyJ"],
        "[A-Za-z0-9_.-]{60,}",
    ),
    token(
        Service,
        "Zapier",
        &["hooks.zapier.com/hooks/catch/"],
        "[0-9]{4,12}/[A-Za-z0-9]{5,}",
    )
    .free()
    .kept(),
    token(Service, "Zuplo", &["zpka_"], "[a-z0-9]{32}_[0-9a-f]{8}"),
    token(
        Service,
        "WeCom",
        &["qyapi.weixin.qq.com/cgi-bin/webhook/send?key="],
        UUID,
    )
    .free()
    .kept(),
    token(
        Service,
        "Lark",
        &[
            "open.feishu.cn/open-apis/bot/v2/hook/",
            "open.larksuite.com/open-apis/bot/v2/hook/",
        ],
        UUID,
    )
    .free()
    .kept(),
];
