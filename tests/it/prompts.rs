//! The prompts say what the program does: names, roles and numbers in a conversation come from code.

use retriever::{
    Prompt, Prompts,
    config::{BudgetConfig, EffortPreset, RunBudget},
    search::PlaceRole,
    tool_specs,
};
use serde_json::{Value, json};
use strum::VariantArray;

use crate::support::{
    fixture::Fixture,
    model_server::{ModelServer, Turn},
    run::Asking,
};

#[tokio::test]
async fn the_opening_names_every_tool_and_role_and_the_budget() {
    for effort in EffortPreset::VARIANTS {
        let fixture = Fixture::new("//- /src/a.rs\nfn a() {}\n");
        let server = ModelServer::start(vec![Turn::submits(json!({"summary": "none"}))])
            .otherwise(|| Turn::says(""));
        let mut asking = Asking::new(&fixture, "what does {question} do with {packet}?");
        asking.budget = BudgetConfig { effort: *effort, ..BudgetConfig::default() };
        asking.ask(&server).await.unwrap();
        let request = &server.requests()[0];
        let system = request["messages"][0]["content"].as_str().unwrap();
        for spec in tool_specs() {
            assert!(system.contains(spec.name), "{} is not in the rules", spec.name);
        }
        for role in PlaceRole::VARIANTS {
            assert!(system.contains(role.as_ref()), "{role} is not in the rules");
        }
        let budget = RunBudget::preset(*effort);
        for number in [u64::from(budget.steps), u64::from(budget.calls), budget.tokens, 120] {
            assert!(system.contains(&number.to_string()), "{number} is not in the rules");
        }
        assert_prompt_has_limits_of_schema(request);
        let named: Vec<&str> = request["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["function"]["name"].as_str().unwrap())
            .collect();
        assert_eq!(named, tool_specs().iter().map(|spec| spec.name).collect::<Vec<_>>());
        let opening = request["messages"][1]["content"].as_str().unwrap();
        assert!(
            opening.contains("what does {question} do with {packet}?"),
            "filled text is not filled again"
        );
        for (prompt, text) in [(Prompt::System, system), (Prompt::Question, opening)] {
            for name in prompt.names() {
                let own = ["question", "packet"].contains(name);
                assert!(
                    own || !text.contains(&format!("{{{name}}}")),
                    "{{{name}}} was left unfilled"
                );
            }
        }
    }
}

/// The limits that the rules name are those of the schema of the report's tool.
#[track_caller]
fn assert_prompt_has_limits_of_schema(request: &Value) {
    let system = request["messages"][0]["content"].as_str().unwrap();
    let tools = request["tools"].as_array().unwrap();
    let report = &tools.last().unwrap()["function"]["parameters"]["properties"];
    for (field, said) in [
        ("/primary/maxItems", "{} primary places"),
        ("/primary/items/properties/why/maxLength", "reasons of {}"),
        ("/secondary/items/properties/why/maxLength", "reasons of {}"),
        ("/findings/maxItems", "{} findings"),
        ("/findings/items/properties/fact/maxLength", "\n  of {}"),
        ("/flow/maxLength", "a flow of {}"),
    ] {
        let limit = report.pointer(field).unwrap().to_string();
        let said = said.replace("{}", &limit);
        assert!(
            system.contains(&said),
            "the rules do not say \"{said}\", as {field} does: {system}"
        );
    }
}

#[test]
fn prompts_use_only_names_that_are_filled_and_stay_short() {
    let prompts = Prompts::default();
    for prompt in Prompt::VARIANTS {
        let text = prompts.text(*prompt).to_owned();
        assert!(text.len() < 2_200, "{prompt} has {} bytes", text.len());
        Prompts::default().replace(*prompt, text).unwrap();
        for name in prompt.names() {
            assert!(
                prompts.text(*prompt).contains(&format!("{{{name}}}")),
                "{prompt} does not say {name}"
            );
        }
    }
    let error = Prompts::default().replace(Prompt::Nudge, "hurry, {deadline}!").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the nudge prompt uses {deadline}, which is not one of {left}, {submit}"
    );
}
