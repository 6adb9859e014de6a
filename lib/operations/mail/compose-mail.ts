import type { MailKind } from "../../../schema/enums.ts";
import { composeInvitationsMail } from "../../courses/invitations/invitation-mail.ts";
import { composeDigestMail } from "../../courses/notifications/digest-mail.ts";
import type { Deps } from "../../deps.ts";
import { accountNoticeComposer, tokenLinkMailComposer } from "../../identity/accounts/account-mail.ts";
import { createFrontendLinkBuilder } from "../../identity/accounts/frontend-link.ts";
import { composeEndingApiKeysMail } from "../../identity/api-keys/ending-keys.ts";
import type { ComposeMail, DueMail, MailMessage } from "../../platform/mail/message.ts";
import { composeDataRequestsMail } from "../data-requests/data-request-mail.ts";

type World = Pick<Deps, "db" | "config" | "now">;

type Composer = (world: World, mail: DueMail) => Promise<MailMessage | undefined>;

const composers: Readonly<Record<MailKind, Composer>> = {
  password_reset: tokenLinkMailComposer("password_reset"),
  verify_email: tokenLinkMailComposer("verify_email"),
  change_email: tokenLinkMailComposer("change_email"),
  password_changed: accountNoticeComposer("password_changed"),
  email_changed: accountNoticeComposer("email_changed"),
  invitation: ({ db, config }, mail) => composeInvitationsMail(db, mail, createFrontendLinkBuilder(config)),
  api_keys: composeEndingApiKeysMail,
  data_request: ({ db }, mail) => composeDataRequestsMail(db, mail),
  notifications: composeDigestMail,
};

/** Composes each mail of the outbox when it is sent. */
export const createMailComposer =
  (world: World): ComposeMail =>
  (mail) =>
    composers[mail.kind](world, mail);
