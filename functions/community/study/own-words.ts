import { searchOwnWords as search } from "../../../lib/community/study/own-words.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { signedIn } from "../../../lib/identity/auth/guards.ts";
import { OwnWords, OwnWordsQuery } from "../../../schema/api/community/own-words.ts";

export const searchOwnWords = endpoint(
  {
    id: "searchOwnWords",
    method: "get",
    path: "/search",
    summary: "Search in all that is one's own",
    description:
      "In notes, in both sides of flashcards, and in what was said in one's conversations with the tutor; of topics that one may open now. Nobody else's words are found, and none of what was deleted.",
    ...signedIn,
    query: OwnWordsQuery,
    ...ok(OwnWords, "A list of each kind, newest first"),
  },
  ({ deps, actor, query }) => search(deps.db, actor, query, deps.now()),
);
