/** Days without activity after which a learner counts as stuck. */
export const stuckAfterDays = 7;
