//! All spellings of a repository's address are one name.

use retriever_remote::repository_name;

#[test]
fn a_repository_has_one_name_in_every_spelling() {
    let same = [
        "git@example.com:team/shop.git",
        "ssh://git@example.com:22/team/shop.git",
        "https://user:token@Example.com/team/shop",
        "https://example.com/team/shop.git/",
        "git://example.com/team/shop",
        "example.com/team/shop",
    ];
    for address in same {
        assert_eq!(repository_name(address).as_deref(), Some("example.com/team/shop"), "{address}");
    }
    for (address, name) in [
        ("file:///srv/git/shop.git", Some("srv/git/shop")),
        ("/srv/git/shop.git", Some("srv/git/shop")),
        ("C:\\shop", Some("C:\\shop")),
        (" ", None),
        (".git", None),
    ] {
        assert_eq!(repository_name(address).as_deref(), name, "{address}");
    }
}
