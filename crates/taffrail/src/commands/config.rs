//! `taffrail config show|path|edit`

use serde::Serialize;
use taffrail_app::configuration;
use taffrail_config::Row;
use taffrail_domain::ExitCode;
use taffrail_text::Shown;

use super::Ending;
use crate::cli::{ConfigArgs, ConfigCommand};
use crate::output::{Envelope, Table, print_json};
use crate::startup::Invocation;

pub fn run(invocation: &Invocation, args: &ConfigArgs) -> Ending {
    let inputs = invocation.inputs();
    match args.command {
        ConfigCommand::Path => {
            let path = configuration::path(&inputs)?;
            invocation
                .output
                .data(format!("{}\n", path.display()).as_bytes())?;
        }
        ConfigCommand::Show { json } => show(invocation, &configuration::rows(&inputs)?, json)?,
        ConfigCommand::Edit => {
            configuration::edit(&inputs)?;
            invocation.output.say("the configuration is understood");
        }
    }
    Ok(ExitCode::Done)
}

#[derive(Serialize)]
struct Line<'a> {
    key: &'a str,
    value: &'a str,
    origin: String,
}

fn show(invocation: &Invocation, rows: &[Row], json: bool) -> std::io::Result<()> {
    if json {
        let lines = rows.iter().map(|row| Line {
            key: &row.key,
            value: &row.value,
            origin: row.origin.to_string(),
        });
        let lines: Vec<Line<'_>> = lines.collect();
        return print_json(&invocation.output, &Envelope::Data(lines));
    }
    let mut table = Table::new(["key", "from", "value"]);
    for row in rows {
        table.row([
            row.key.clone(),
            row.origin.to_string(),
            Shown::line(&row.value).to_string(),
        ]);
    }
    invocation.output.data(table.render().as_bytes())
}
