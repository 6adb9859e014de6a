import type { MailKind } from "../../../schema/enums.ts";
import { composeInvitations } from "../../courses/invitations/invitation-mail.ts";
import { composeDigest } from "../../courses/notifications/digest-mail.ts";
import type { Deps } from "../../deps.ts";
import { accountNoticeComposer, tokenLinkMailComposer } from "../../identity/accounts/account-mail.ts";
import { createFrontendLinkBuilder } from "../../identity/accounts/frontend-link.ts";
import { composeEndingApiKeysMail } from "../../identity/api-keys/ending-keys.ts";
import type { ComposeMail, DueMail, MailMessage } from "../../platform/mail/message.ts";
import { composeDataRequests } from "../data-requests/data-request-mail.ts";

type World = Pick<Deps, "db" | "config" | "now">;

type Composer = (world: World, mail: DueMail) => Promise<MailMessage | undefined>;

const composers: Readonly<Record<MailKind, Composer>> = {
  password_reset: tokenLinkMailComposer("password_reset"),
  verify_email: tokenLinkMailComposer("verify_email"),
  change_email: tokenLinkMailComposer("change_email"),
  password_changed: accountNoticeComposer("password_changed"),
  email_changed: accountNoticeComposer("email_changed"),
  invitation: ({ db, config }, mail) => composeInvitations(db, mail, createFrontendLinkBuilder(config)),
  api_keys: composeEndingApiKeysMail,
  data_request: ({ db }, mail) => composeDataRequests(db, mail),
  notifications: composeDigest,
};

/** Composes each mail of the outbox when it is sent. */
export const createMailComposer =
  (world: World): ComposeMail =>
  (mail) =>
    composers[mail.kind](world, mail);
