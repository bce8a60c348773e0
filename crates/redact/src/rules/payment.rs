//! Payment, banking, shipping and exchanges.

use super::{Rule, token};
use crate::family::Family::Payment;

pub(crate) const TOKENS: &[Rule] = &[
    token(
        Payment,
        "Stripe",
        &[
            "sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "sk_sbox_",
        ],
        "[A-Za-z0-9_]{10,}",
    )
    .entropy(2.0),
    token(
        Payment,
        "Stripe webhook",
        &["whsec_"],
        "[A-Za-z0-9+/]{24,}={0,2}",
    ),
    token(
        Payment,
        "Square",
        &["sq0atp-", "sq0csp-", "sq0idp-", "sq0idb-"],
        "[A-Za-z0-9_-]{22,}",
    ),
    token(Payment, "Square", &["EAAA"], "[A-Za-z0-9_-]{56,64}").entropy(3.0),
    token(
        Payment,
        "Braintree",
        &["access_token$production$", "access_token$sandbox$"],
        "[0-9a-z]{16}\\$[0-9a-f]{32}",
    ),
    token(
        Payment,
        "Plaid",
        &[
            "access-sandbox-",
            "access-development-",
            "access-production-",
        ],
        "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    token(
        Payment,
        "Razorpay",
        &["rzp_live_", "rzp_test_"],
        "[A-Za-z0-9]{14,24}",
    ),
    token(
        Payment,
        "Flutterwave",
        &["FLWSECK_TEST-", "FLWSECK-"],
        "[A-Za-z0-9]{12,}-?X?",
    )
    .free(),
    token(
        Payment,
        "Flutterwave",
        &["FLWPUBK_TEST-", "FLWPUBK-"],
        "[A-Za-z0-9]{12,}-?X?",
    )
    .free(),
    token(
        Payment,
        "Adyen",
        &["AQE"],
        "[A-Za-z0-9]{4}[A-Za-z0-9+/=.-]{60,}",
    )
    .entropy(4.0)
    .digit(),
    token(Payment, "EasyPost", &["EZAK", "EZTK"], "[A-Za-z0-9]{54}").entropy(2.5),
    token(
        Payment,
        "Duffel",
        &["duffel_test_", "duffel_live_"],
        "[A-Za-z0-9_=-]{40,}",
    )
    .free(),
    token(
        Payment,
        "Shippo",
        &["shippo_live_", "shippo_test_"],
        "[a-fA-F0-9]{40}",
    ),
    token(
        Payment,
        "Paddle",
        &["pdl_live_apikey_", "pdl_sdbx_apikey_"],
        "[A-Za-z0-9_]{26,}",
    ),
    token(
        Payment,
        "Polar",
        &["polar_oat_", "polar_pat_", "polar_at_"],
        "[A-Za-z0-9_-]{20,}",
    )
    .digit(),
    token(Payment, "Asaas", &["$aact_"], "[A-Za-z0-9_:=-]{20,}").digit(),
    token(
        Payment,
        "Mercury",
        &["mercury_production_", "mercury_sandbox_"],
        "[a-z]{2,6}_[A-Za-z0-9]{36,50}_?[a-z]{0,8}",
    ),
    token(Payment, "Proof", &["prf_"], "[A-Za-z0-9_-]{20,80}")
        .entropy(3.8)
        .digit(),
    token(Payment, "Ramp", &["ramp_sec_"], "[A-Za-z0-9]{40,}"),
    token(
        Payment,
        "Xendit",
        &["xnd_production_", "xnd_development_"],
        "[A-Za-z0-9]{40,}",
    ),
    token(
        Payment,
        "GoCardless",
        &["live_", "sandbox_"],
        "[A-Za-z0-9_=-]{40}",
    )
    .entropy(4.0)
    .digit(),
    token(Payment, "Lob", &["live_", "test_"], "[a-f0-9]{35}")
        .entropy(3.0)
        .digit(),
    token(Payment, "Lob", &["live_pub_", "test_pub_"], "[a-f0-9]{31}")
        .entropy(3.0)
        .digit(),
    token(Payment, "Mollie", &["live_", "test_"], "[A-Za-z0-9]{30}")
        .entropy(4.0)
        .digit(),
];
