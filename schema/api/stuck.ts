/** For how many days someone has done nothing who is stuck. */
export const stuckAfterDays = 7;
