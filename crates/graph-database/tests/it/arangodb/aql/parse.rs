//! Tokens as statements: the operations and expressions that the adapter uses, by the grammar of the documentation.

use serde_json::{Value, json};

use super::tokens::{Token, tokens};

/// Operations in their order.
pub(super) type Statement = Vec<Operation>;

#[derive(Clone, Debug)]
pub(super) enum Operation {
    For {
        variable: String,
        source: Expression,
    },
    Traverse {
        names: (String, String),
        is_outbound: bool,
        start: Expression,
        graph: String,
        options: Expression,
    },
    Filter(Expression),
    Let(String, Expression),
    Sort(Vec<(Expression, bool)>),
    Limit(Expression),
    Collect {
        name: String,
        value: Expression,
        sum: String,
        of: Expression,
    },
    Upsert {
        search: Expression,
        insert: Expression,
        update: Expression,
        into: Expression,
        options: Expression,
    },
    Update {
        document: Expression,
        with: Expression,
        into: Expression,
        options: Expression,
    },
    Remove {
        document: Expression,
        from: Expression,
        options: Expression,
    },
    Return(Expression),
}

#[derive(Clone, Debug)]
pub(super) enum Expression {
    Value(Value),
    Bound(String),
    /// A variable; else a collection.
    Name(String),
    Attribute(Box<Expression>, String),
    /// The attribute of all elements.
    Each(Box<Expression>, String),
    Call(String, Vec<Expression>),
    Object(Vec<(String, Expression)>),
    Subquery(Statement),
    Binary(&'static str, Box<Expression>, Box<Expression>),
}

/// Operators from the loosest to the tightest.
const LEVELS: [&[&str]; 5] =
    [&["OR"], &["AND"], &["==", "!="], &["NOT IN", "IN", "<", "<=", ">", ">="], &["+", "-"]];

pub(super) fn parse(text: &str) -> Result<Statement, String> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0 };
    let statement = parser.statement()?;
    match parser.tokens.get(parser.at) {
        None => Ok(statement),
        Some(token) => Err(format!("syntax error near {token:?}")),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn next(&mut self) -> Result<Token, String> {
        let token = self.tokens.get(self.at).cloned().ok_or("unexpected end of the statement");
        self.at += 1;
        Ok(token?)
    }

    fn takes(&mut self, wanted: &Token) -> bool {
        let takes = self.tokens.get(self.at) == Some(wanted);
        self.at += usize::from(takes);
        takes
    }

    fn sign(&mut self, sign: &'static str) -> bool {
        self.takes(&Token::Sign(sign))
    }

    fn word(&mut self, word: &'static str) -> bool {
        self.takes(&Token::Word(word))
    }

    fn expect(&mut self, wanted: &Token) -> Result<(), String> {
        if self.takes(wanted) {
            return Ok(());
        }
        Err(format!("expected {wanted:?} near {:?}", self.tokens.get(self.at)))
    }

    fn name(&mut self) -> Result<String, String> {
        match self.next()? {
            Token::Name(name) => Ok(name),
            other => Err(format!("{other:?} is no name")),
        }
    }

    fn statement(&mut self) -> Result<Statement, String> {
        let mut statement = Vec::new();
        let mut is_written = false;
        while let Some(Token::Word(word)) = self.tokens.get(self.at).cloned() {
            self.at += 1;
            if is_written && !matches!(word, "LET" | "RETURN") {
                return Err(format!("access after data-modification by {word}"));
            }
            let operation = self.operation(word)?;
            is_written |= matches!(word, "UPSERT" | "UPDATE" | "REMOVE");
            let is_last = matches!(operation, Operation::Return(_));
            statement.push(operation);
            if is_last {
                return Ok(statement);
            }
        }
        if is_written {
            Ok(statement)
        } else {
            Err("a statement has to return or write".to_owned())
        }
    }

    fn operation(&mut self, word: &str) -> Result<Operation, String> {
        Ok(match word {
            "FOR" => self.iteration()?,
            "FILTER" => Operation::Filter(self.expression()?),
            "LET" => {
                let name = self.name()?;
                self.expect(&Token::Sign("="))?;
                Operation::Let(name, self.expression()?)
            }
            "SORT" => {
                let mut keys = Vec::new();
                loop {
                    let key = self.expression()?;
                    let is_down = self.word("DESC");
                    keys.push((
                        key,
                        is_down || {
                            self.word("ASC");
                            false
                        },
                    ));
                    if !self.sign(",") {
                        break Operation::Sort(keys);
                    }
                }
            }
            "LIMIT" => Operation::Limit(self.expression()?),
            "COLLECT" => {
                let name = self.name()?;
                self.expect(&Token::Sign("="))?;
                let value = self.expression()?;
                self.expect(&Token::Word("AGGREGATE"))?;
                let sum = self.name()?;
                self.expect(&Token::Sign("="))?;
                match self.expression()? {
                    Expression::Call(function, mut of) if function == "SUM" && of.len() == 1 => {
                        Operation::Collect { name, value, sum, of: of.remove(0) }
                    }
                    other => return Err(format!("{other:?} is no aggregation")),
                }
            }
            "UPSERT" => {
                let search = self.object()?;
                self.expect(&Token::Word("INSERT"))?;
                let insert = self.expression()?;
                self.expect(&Token::Word("UPDATE"))?;
                let update = self.object()?;
                self.expect(&Token::Word("IN"))?;
                Operation::Upsert {
                    search,
                    insert,
                    update,
                    into: self.primary()?,
                    options: self.options()?,
                }
            }
            "UPDATE" => {
                let document = self.primary()?;
                self.expect(&Token::Word("WITH"))?;
                let with = self.object()?;
                self.expect(&Token::Word("IN"))?;
                Operation::Update {
                    document,
                    with,
                    into: self.primary()?,
                    options: self.options()?,
                }
            }
            "REMOVE" => {
                let document = self.primary()?;
                self.expect(&Token::Word("IN"))?;
                Operation::Remove { document, from: self.primary()?, options: self.options()? }
            }
            "RETURN" => Operation::Return(self.expression()?),
            other => return Err(format!("{other} is no operation")),
        })
    }

    fn iteration(&mut self) -> Result<Operation, String> {
        let first = self.name()?;
        let second = if self.sign(",") { Some(self.name()?) } else { None };
        self.expect(&Token::Word("IN"))?;
        let Some(second) = second else {
            return Ok(Operation::For { variable: first, source: self.expression()? });
        };
        for wanted in [Token::Number(1), Token::Sign(".."), Token::Number(1)] {
            self.expect(&wanted)?;
        }
        let is_outbound = self.word("OUTBOUND");
        if !is_outbound {
            self.expect(&Token::Word("INBOUND"))?;
        }
        let start = self.primary()?;
        self.expect(&Token::Word("GRAPH"))?;
        let Token::Text(graph) = self.next()? else {
            return Err("a graph is named by a text".to_owned());
        };
        let options = self.options()?;
        Ok(Operation::Traverse { names: (first, second), is_outbound, start, graph, options })
    }

    /// `OPTIONS { … }`, which is no reserved word.
    fn options(&mut self) -> Result<Expression, String> {
        if self.takes(&Token::Name("OPTIONS".to_owned())) {
            self.object()
        } else {
            Ok(Expression::Object(Vec::new()))
        }
    }

    fn expression(&mut self) -> Result<Expression, String> {
        self.binary(0)
    }

    fn binary(&mut self, level: usize) -> Result<Expression, String> {
        let Some(operators) = LEVELS.get(level) else { return self.primary() };
        let mut left = self.binary(level + 1)?;
        loop {
            let is_negated = self.tokens.get(self.at) == Some(&Token::Word("NOT"));
            self.at += usize::from(is_negated && operators.contains(&"NOT IN"));
            let operator = match self.tokens.get(self.at) {
                Some(Token::Word("IN")) if is_negated && operators.contains(&"NOT IN") => "NOT IN",
                Some(Token::Sign(sign) | Token::Word(sign)) if operators.contains(sign) => *sign,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
    }

    fn primary(&mut self) -> Result<Expression, String> {
        let mut value = match self.next()? {
            Token::Number(number) => Expression::Value(json!(number)),
            Token::Text(text) => Expression::Value(json!(text)),
            Token::Bound(name) => Expression::Bound(name),
            Token::Word("NULL") => Expression::Value(Value::Null),
            Token::Word("TRUE") => Expression::Value(json!(true)),
            Token::Word("FALSE") => Expression::Value(json!(false)),
            Token::Name(name) if self.sign("(") => {
                Expression::Call(name, self.until(")", Self::argument)?)
            }
            Token::Name(name) => Expression::Name(name),
            Token::Sign("(") => {
                let inner = self.argument()?;
                self.expect(&Token::Sign(")"))?;
                inner
            }
            Token::Sign("{") => {
                self.at -= 1;
                self.object()?
            }
            other => return Err(format!("syntax error near {other:?}")),
        };
        loop {
            if self.sign("[*]") {
                self.expect(&Token::Sign("."))?;
                value = Expression::Each(Box::new(value), self.name()?);
            } else if self.sign(".") {
                value = Expression::Attribute(Box::new(value), self.name()?);
            } else {
                return Ok(value);
            }
        }
    }

    /// An expression, or a statement between the brackets around it.
    fn argument(&mut self) -> Result<Expression, String> {
        match self.tokens.get(self.at) {
            Some(Token::Word("FOR" | "LET")) => Ok(Expression::Subquery(self.statement()?)),
            _ => self.expression(),
        }
    }

    fn object(&mut self) -> Result<Expression, String> {
        self.expect(&Token::Sign("{"))?;
        let member = |parser: &mut Self| {
            let name = parser.name()?;
            parser.expect(&Token::Sign(":"))?;
            Ok((name, parser.expression()?))
        };
        Ok(Expression::Object(self.until("}", member)?))
    }

    /// Elements between commas, and the sign that ends them.
    fn until<T>(
        &mut self,
        end: &'static str,
        element: impl Fn(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let mut elements = Vec::new();
        while !self.sign(end) {
            if !elements.is_empty() {
                self.expect(&Token::Sign(","))?;
            }
            elements.push(element(self)?);
        }
        Ok(elements)
    }
}
