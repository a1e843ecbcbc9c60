/**
 * Members of an object in a block of another chain, as its node gave them (docs/fork.md). They are shown in place of
 * what this node would write; this node computes nothing from them.
 */
export type ForeignMembers = Readonly<Record<string, unknown>>
