//! Model providers and what is built around them.

use super::{Rule, token};
use crate::family::Family::Model;

pub(crate) const TOKENS: &[Rule] = &[
    token(Model, "Anthropic", &["sk-ant-"], "[A-Za-z0-9_-]{20,}")
        .entropy(3.0)
        .digit(),
    token(
        Model,
        "OpenAI",
        &[
            "sk-proj-",
            "sk-svcacct-",
            "sk-admin-",
            "sk-service-",
            "sk-None-",
        ],
        "[A-Za-z0-9_-]{20,}",
    )
    .entropy(3.0)
    .digit(),
    token(Model, "OpenAI", &["T3BlbkFJ"], "[A-Za-z0-9_-]{16,}").head("sk-[A-Za-z0-9_]{2,100}"),
    token(
        Model,
        "OpenRouter",
        &["sk-or-v1-", "sk-or-"],
        "[A-Za-z0-9_-]{20,}",
    )
    .entropy(3.0)
    .digit(),
    token(Model, "Langfuse", &["sk-lf-", "pk-lf-"], "[a-f0-9-]{36}"),
    token(Model, "Helicone", &["sk-helicone-"], "[a-z0-9-]{20,}"),
    token(Model, "OpenAI and kin", &["sk-"], "[A-Za-z0-9]{20,}")
        .entropy(3.0)
        .digit(),
    token(Model, "Hugging Face", &["hf_"], "[A-Za-z0-9]{30,}").entropy(3.0),
    token(Model, "Hugging Face", &["api_org_"], "[A-Za-z0-9]{30,}").entropy(3.0),
    token(Model, "Groq", &["gsk_"], "[A-Za-z0-9]{40,}"),
    token(Model, "xAI", &["xai-"], "[A-Za-z0-9_-]{60,}").digit(),
    token(Model, "Perplexity", &["pplx-"], "[A-Za-z0-9]{40,}"),
    token(Model, "Replicate", &["r8_"], "[A-Za-z0-9]{35,}"),
    token(Model, "Together", &["tgp_v1_"], "[A-Za-z0-9_-]{40,}"),
    token(Model, "Fireworks", &["fw_"], "[A-Za-z0-9]{22,}")
        .entropy(3.0)
        .digit(),
    token(Model, "NVIDIA", &["nvapi-"], "[A-Za-z0-9_-]{60,}"),
    token(Model, "Jina", &["jina_"], "[A-Za-z0-9_-]{50,}"),
    token(Model, "Pinecone", &["pcsk_"], "[A-Za-z0-9_]{40,}"),
    token(Model, "Voyage", &["pa-"], "[A-Za-z0-9_-]{40,50}")
        .entropy(4.0)
        .digit(),
    token(
        Model,
        "LangSmith",
        &["lsv2_pt_", "lsv2_sk_"],
        "[a-fA-F0-9]{32}_[a-fA-F0-9]{10}",
    ),
    token(Model, "LangSmith", &["ls__"], "[a-f0-9]{32}"),
    token(Model, "Tavily", &["tvly-"], "[A-Za-z0-9-]{30,}").digit(),
    token(Model, "Firecrawl", &["fc-"], "[a-f0-9]{32}").entropy(3.0),
    token(Model, "Cerebras", &["csk-"], "[a-z0-9]{40,}").entropy(3.0),
    token(Model, "ElevenLabs", &["sk_"], "[a-f0-9]{48}").entropy(3.0),
    token(Model, "RunPod", &["rpa_"], "[A-Za-z0-9]{30,}").digit(),
    token(Model, "Modal", &["ak-", "as-"], "[A-Za-z0-9]{22}")
        .entropy(3.5)
        .digit(),
    token(
        Model,
        "PostHog",
        &["phx_", "phc_", "phs_"],
        "[A-Za-z0-9_-]{40,}",
    )
    .digit(),
    token(Model, "MiniMax", &["sk-api-"], "[A-Za-z0-9_-]{60,}").digit(),
    token(Model, "Cartesia", &["sk_car_"], "[A-Za-z0-9_-]{20,}"),
    token(Model, "LlamaIndex", &["llx-"], "[A-Za-z0-9]{40,}").digit(),
    token(
        Model,
        "Weights & Biases",
        &["wandb_v1_"],
        "[A-Za-z0-9_]{60,}",
    )
    .digit(),
];
