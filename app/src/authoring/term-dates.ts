/** What stands in the fields of an offering's begin and end, where people are. */
export type Proposal = { starts_at: string; ends_at: string };

/** The whole of a term, from its first day's first minute to its last day's last. */
export const proposalOf = (term: { starts_on: string; ends_on: string }): Proposal => ({
  starts_at: `${term.starts_on}T00:00`,
  ends_at: `${term.ends_on}T23:59`,
});

/** Whether a field takes what a term proposes: an empty one, and one that has what the term before proposed. */
export const takesProposal = (value: string, former: string | undefined): boolean =>
  value === "" || value === former;
