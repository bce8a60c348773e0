//! Build systems, monitoring, identity and other services.

use super::{Rule, token};
use crate::family::Family::{PrivateKey, Service};

const UUID: &str = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";

pub(crate) const TOKENS: &[Rule] = &[
    token(PrivateKey, "age", &["AGE-SECRET-KEY-1"], "[A-Z0-9]{50,60}").free(),
    token(PrivateKey, "age", &["AGE-SECRET-KEY-PQ-1"], "[A-Z0-9]{50,}").free(),
    token(
        Service,
        "GitHub Actions",
        &["::add-mask::"],
        "[A-Za-z0-9+/=_.!@#%^&*~-]{4,200}",
    )
    .free()
    .kept(),
    token(
        Service,
        "1Password",
        &["ops_eyJ"],
        "[A-Za-z0-9+/_-]{100,}={0,3}",
    )
    .free(),
    token(
        Service,
        "1Password",
        &["A3-"],
        "[A-Z0-9]{6}-[A-Z0-9]{6,11}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}-?[A-Z0-9]{0,5}",
    ),
    token(Service, "Adobe", &["p8e-"], "[A-Za-z0-9_-]{32}").entropy(2.5),
    token(
        Service,
        "Airtable",
        &["pat"],
        "[A-Za-z0-9]{14}\\.[a-f0-9]{64}",
    ),
    token(
        Service,
        "Asana",
        &["0/", "1/", "2/"],
        "[0-9]{13,18}:[a-f0-9]{32}",
    ),
    token(Service, "Atlassian", &["ATATT3"], "[A-Za-z0-9_=-]{60,}").free(),
    token(
        Service,
        "Authress",
        &["sc_", "ext_", "scauth_", "authress_"],
        "[A-Za-z0-9]{5,30}\\.[A-Za-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}",
    ),
    token(Service, "Beamer", &["b_"], "[A-Za-z0-9=_-]{44}")
        .entropy(4.0)
        .digit(),
    token(Service, "Buildkite", &["bkua_"], "[a-z0-9]{30,}"),
    token(Service, "Chief Tools", &["ctp_", "cte_"], "[A-Za-z0-9]{36}")
        .entropy(3.0)
        .digit(),
    token(
        Service,
        "CircleCI",
        &["CCIPAT_", "CCIPRJ_"],
        "[A-Za-z0-9]{10,40}_[a-z0-9]{40}",
    ),
    token(Service, "ClickUp", &["pk_"], "[0-9]{5,12}_[A-Z0-9]{32}"),
    token(Service, "Contentful", &["CFPAT-"], "[A-Za-z0-9_-]{40,}"),
    token(
        Service,
        "dbt",
        &["dbtc_", "dbtu_", "dbts_"],
        "[A-Za-z0-9_-]{30,}",
    )
    .digit(),
    token(
        Service,
        "Defined Networking",
        &["dnkey-"],
        "[A-Za-z0-9=_-]{26}-?[A-Za-z0-9=_-]{30,}",
    ),
    token(
        Service,
        "Doppler",
        &[
            "dp.pt.",
            "dp.st.",
            "dp.ct.",
            "dp.sa.",
            "dp.scim.",
            "dp.audit.",
        ],
        "[A-Za-z0-9._-]{38,}",
    )
    .free(),
    token(Service, "Dropbox", &["sl."], "[A-Za-z0-9_=.-]{100,}")
        .entropy(3.5)
        .digit(),
    token(
        Service,
        "Dynatrace",
        &["dt0"],
        "[a-zA-Z][0-9]{2}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}",
    )
    .free(),
    token(
        Service,
        "Figma",
        &["figd_", "figu_", "figo_", "figdr_"],
        "[A-Za-z0-9_-]{30,}",
    )
    .digit(),
    token(Service, "Frame.io", &["fio-u-"], "[A-Za-z0-9_=-]{50,}").free(),
    token(
        Service,
        "Grafana",
        &["glsa_"],
        "[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}",
    ),
    token(Service, "Grafana", &["glc_"], "[A-Za-z0-9+/]{32,}={0,3}").entropy(3.0),
    token(
        Service,
        "Grafana",
        &["eyJrIjoi"],
        "[A-Za-z0-9+/]{60,}={0,3}",
    ),
    token(
        Service,
        "Harness",
        &["pat.", "sat."],
        "[A-Za-z0-9_-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}",
    ),
    token(
        Service,
        "HashiCorp Terraform",
        &[".atlasv1."],
        "[A-Za-z0-9_=-]{50,}",
    )
    .head("[A-Za-z0-9]{12,16}"),
    token(
        Service,
        "HashiCorp Vault",
        &["hvs.", "hvb.", "hvr."],
        "[A-Za-z0-9_-]{24,}",
    )
    .entropy(3.0)
    .digit(),
    token(Service, "HashiCorp Vault", &["s."], "[A-Za-z0-9]{24}")
        .entropy(3.5)
        .digit(),
    token(
        Service,
        "Honeycomb",
        &["hcaik_", "hcbik_", "hcxik_", "hcalk_"],
        "[a-z0-9]{30,}",
    )
    .digit(),
    token(
        Service,
        "HubSpot",
        &["pat-na1-", "pat-eu1-", "pat-na2-", "pat-ap1-"],
        UUID,
    ),
    token(Service, "Infracost", &["ico-"], "[A-Za-z0-9]{32}").entropy(3.0),
    token(
        Service,
        "Inngest",
        &["signkey-prod-", "signkey-test-", "signkey-branch-"],
        "[a-f0-9]{32,}",
    ),
    token(
        Service,
        "42 School",
        &["s-s4t2ud-", "s-s4t2af-"],
        "[a-fA-F0-9]{64}",
    ),
    token(Service, "LaunchDarkly", &["sdk-", "api-"], UUID),
    token(
        Service,
        "Linear",
        &["lin_api_", "lin_oauth_", "lin_wh_"],
        "[A-Za-z0-9]{32,}",
    )
    .free(),
    token(
        Service,
        "Mapbox",
        &["sk.eyJ", "pk.eyJ", "tk.eyJ"],
        "[A-Za-z0-9_-]{20,}\\.[A-Za-z0-9_-]{20,}",
    ),
    token(
        Service,
        "Mapbox",
        &["pk.", "sk."],
        "[A-Za-z0-9]{60}\\.[A-Za-z0-9]{22}",
    ),
    token(Service, "MaxMind", &["_mmk"], "").head("[A-Za-z0-9]{6}_[A-Za-z0-9]{29}"),
    token(Service, "Metabase", &["mb_"], "[A-Za-z0-9+/]{40,}={0,2}")
        .entropy(4.0)
        .digit(),
    token(
        Service,
        "New Relic",
        &[
            "NRAK-", "NRII-", "NRJS-", "NRRA-", "NRAA-", "NRIQ-", "NRSP-",
        ],
        "[A-Za-z0-9_-]{19,}",
    ),
    token(Service, "Notion", &["secret_"], "[A-Za-z0-9]{43}").entropy(3.5),
    token(Service, "Notion", &["ntn_"], "[0-9]{6}[A-Za-z0-9]{30,}"),
    token(Service, "Octopus", &["API-"], "[A-Z0-9]{26}")
        .entropy(3.0)
        .digit(),
    token(
        Service,
        "Ory",
        &["ory_pat_", "ory_at_", "ory_rt_", "ory_st_"],
        "[A-Za-z0-9_.-]{20,}",
    ),
    token(
        Service,
        "Postman",
        &["PMAK-"],
        "[a-fA-F0-9]{24}-[a-fA-F0-9]{34}",
    ),
    token(Service, "Prefect", &["pnu_", "pnb_"], "[A-Za-z0-9]{36}"),
    token(Service, "Pulumi", &["pul-"], "[a-f0-9]{40}"),
    token(Service, "ReadMe", &["rdme_"], "[a-z0-9]{60,}"),
    token(Service, "Sentry", &["sntrys_"], "[A-Za-z0-9+/=_-]{40,}"),
    token(
        Service,
        "Sentry",
        &["sntryu_", "sntrya_", "sntryi_"],
        "[a-f0-9]{60,}",
    ),
    token(
        Service,
        "SettleMint",
        &["sm_aat_", "sm_pat_", "sm_sat_"],
        "[A-Za-z0-9]{16,}",
    ),
    token(
        Service,
        "Shopify",
        &["shpat_", "shpca_", "shppa_", "shpss_", "shptka_"],
        "[a-fA-F0-9]{32,}",
    )
    .free(),
    token(
        Service,
        "Snyk",
        &["snyk_uat.", "snyk_sat."],
        "[A-Za-z0-9_.-]{20,}",
    ),
    token(
        Service,
        "SonarQube",
        &["squ_", "sqp_", "sqa_"],
        "[a-f0-9]{40}",
    ),
    token(
        Service,
        "StackHawk",
        &["hawk."],
        "[A-Za-z0-9_-]{16,24}\\.[A-Za-z0-9_-]{16,24}",
    )
    .digit(),
    token(Service, "Trello", &["ATTA"], "[a-f0-9]{60,}"),
    token(
        Service,
        "Trigger.dev",
        &["tr_dev_", "tr_prod_", "tr_pat_"],
        "[A-Za-z0-9]{20,}",
    )
    .digit(),
    token(Service, "Typeform", &["tfp_"], "[A-Za-z0-9_.=-]{40,}").digit(),
    token(Service, "Unkey", &["unkey_"], "[A-Za-z0-9]{20,}").digit(),
    token(Service, "WakaTime", &["waka_"], "[a-z0-9-]{36,64}").digit(),
    token(Service, "Rancher", &["token-"], "[a-z0-9]{5}:[a-z0-9]{54}"),
    token(Service, "Sumo Logic", &["su"], "[A-Z][A-Za-z0-9]{11}")
        .entropy(3.5)
        .digit(),
];
