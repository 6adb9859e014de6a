/**
 * Functions that stand in no file of this folder any more, or not with these parameters, and that the version which is
 * being replaced still calls: `npm run migrations:generate` leaves them alone until the version of package.json is
 * another than `retiredIn`, and drops them then. What no release has called has "never released", and is dropped at once.
 * One that has another name now has a `text`, in which its old name is a call of the new one.
 *
 * Signatures are spelled as PostgreSQL does: `select 'open_turn'::regproc::regprocedure`.
 */
export type Retired = { signature: string; retiredIn: string; text?: string };

export const retired: readonly Retired[] = [];
