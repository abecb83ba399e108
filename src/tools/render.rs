//! The one way from a tool's result to text: cut first, print, then register what was printed in the ledger.
