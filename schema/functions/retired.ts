/**
 * Functions that stand in no file of this folder any more, or not with these parameters, and that the version which is
 * being replaced still calls: `npm run migrations:generate` leaves them alone until the version of package.json is
 * another than `retiredIn`, and drops them then. What no release has called has "never released", and is dropped at once.
 *
 * Signatures are spelled as PostgreSQL does: `select 'open_turn'::regproc::regprocedure`.
 */
export type Retired = { signature: string; retiredIn: string };

export const retired: readonly Retired[] = [
  // It knew nothing of how far a token reaches.
  {
    signature:
      "open_turn(integer,integer,integer,text,text,text,integer,uuid,text,text,integer,text,date,timestamp with time zone)",
    retiredIn: "1.0.0",
  },
  {
    signature: "fail_generation(integer,uuid,integer,bigint,jsonb,integer)",
    retiredIn: "1.0.0",
  },
  { signature: "ask_for_password_reset(text,timestamp with time zone)", retiredIn: "1.0.0" },
  {
    signature: "mail_confirmation(text,text,integer,timestamp with time zone,text)",
    retiredIn: "1.0.0",
  },
  { signature: "mail_invitations(text,timestamp with time zone)", retiredIn: "1.0.0" },
  { signature: "send_mail(text,text,integer,timestamp with time zone)", retiredIn: "1.0.0" },
  // Each batch of an import does its part of that.
  { signature: "find_former_accounts_of(integer,bytea)", retiredIn: "1.0.0" },
  { signature: "work_import(integer,integer,jsonb)", retiredIn: "1.0.0" },
];
