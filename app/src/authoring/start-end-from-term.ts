/** Values of an offering's start and end fields, in local time. */
export type OfferingStartEndProposal = { starts_at: string; ends_at: string };

/** From the first minute of the term's first day to the last minute of its last day. */
export const proposeStartEndFromTerm = (term: {
  starts_on: string;
  ends_on: string;
}): OfferingStartEndProposal => ({
  starts_at: `${term.starts_on}T00:00`,
  ends_at: `${term.ends_on}T23:59`,
});

/** Whether a field takes the proposal: if it is empty or still has the previous term's. */
export const isDateEmptyOrFormerProposal = (value: string, former: string | undefined): boolean =>
  value === "" || value === former;
