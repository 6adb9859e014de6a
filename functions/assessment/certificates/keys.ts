import {
  getPublicKey,
  listPublicKeys,
  signCredential,
} from "../../../lib/assessment/certificates/signing-keys.ts";
import { statusListCredentialClaims } from "../../../lib/assessment/certificates/status-list.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { negotiateContentType } from "../../../lib/http/negotiate-content-type.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";
import {
  SigningKey,
  SigningKeyId,
  SigningKeyQuery,
  SigningKeys,
  StatusListId,
} from "../../../schema/api/assessment/certificates.ts";
import { publicApiBaseUrl } from "./addresses-of.ts";

export const listSigningKeys = endpoint(
  {
    id: "listSigningKeys",
    method: "get",
    path: "/keys",
    summary: "List public signing keys",
    description: "A JSON Web Key Set. Keys stay in it while credentials signed with them need verification.",
    ...anyone,
    query: SigningKeyQuery,
    ...ok(SigningKeys, "Keys, newest first"),
  },
  async ({ deps, query, http }) =>
    (await listPublicKeys(deps.db, publicApiBaseUrl(http, deps.config), query)).within((keys) => ({ keys })),
);

export const getSigningKey = endpoint(
  {
    id: "getSigningKey",
    method: "get",
    path: "/keys/{key_id}",
    summary: "Read a public signing key",
    description: "A JSON Web Key, at the address that credentials refer to.",
    ...anyone,
    params: SigningKeyId,
    ...ok(SigningKey, "The key"),
    fails: [404],
  },
  ({ deps, params, http }) => getPublicKey(deps.db, publicApiBaseUrl(http, deps.config), params.key_id),
);

const exampleToken = "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJ0eXBlIjpbXX0.c2ln";

export const getCertificateStatusList = endpoint(
  {
    id: "getCertificateStatusList",
    method: "get",
    path: "/status/{list_id}",
    summary: "Read a credential status list",
    description:
      "A Bitstring Status List as a signed credential. It has one bit for each of 131,072 certificates, " +
      "without their codes. A credential refers to its list and position.",
    ...anyone,
    shares: "processor",
    params: StatusListId,
    answer: {
      status: 200,
      schema: undefined,
      description: "The list",
      also: { "application/vc+jwt": exampleToken, "text/plain": exampleToken },
    },
  },
  async ({ deps, params, http }) => {
    const addresses = publicApiBaseUrl(http, deps.config);
    const claims = await statusListCredentialClaims(deps.db, addresses, params.list_id, deps.now());
    const token = await signCredential(deps.ownKeys, deps.config, addresses, claims);
    return http.body(token, 200, {
      "Content-Type": negotiateContentType(http, "application/vc+jwt", "text/plain"),
      Vary: "Accept",
    });
  },
);
