import * as z from "zod";
import { LtiRefusal } from "../lti/refusals.ts";

/** OpenID Connect's implicit flow by form post; other fields are ignored. */
const Authorization = z.object({
  scope: z.string().refine((scope) => scope.split(" ").includes("openid")),
  response_type: z.literal("id_token"),
  response_mode: z.literal("form_post"),
  prompt: z.literal("none"),
  client_id: z.string().min(1).max(64),
  redirect_uri: z.string().min(1).max(2000),
  login_hint: z.string().min(1).max(100),
  lti_message_hint: z.string().min(1).max(8000),
  nonce: z.string().min(1).max(512),
  state: z.string().max(8000).optional(),
});

export type ToolAuthorizationParameters = z.output<typeof Authorization>;

/** Throws `LtiRefusal` for a missing or invalid parameter. */
export function parseAuthorizationRequest(sent: Record<string, string>): ToolAuthorizationParameters {
  const { data } = Authorization.safeParse(sent);
  if (!data) throw new LtiRefusal("tool_request");
  return data;
}
