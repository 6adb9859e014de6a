/** Errors of any operation that takes a token; documented once, in the responses 401 and 403. */
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
