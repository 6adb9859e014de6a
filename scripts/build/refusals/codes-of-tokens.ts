/** What any operation may refuse that takes a token: the document says it once, at the answers 401 and 403. */
export const codesOfTokens = {
  401: ["credentials_invalid"],
  403: [
    "account_inactive",
    "account_out_of_reach",
    "api_key_without_scope",
    "no_api_key",
    "not_enough_permissions",
    "only_api_keys",
    "own_provider_required",
  ],
} as const;
