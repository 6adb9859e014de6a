import { searchOwnStudyTexts as search } from "../../../lib/community/study/own-words.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { signedIn } from "../../../lib/identity/auth/guards.ts";
import { OwnWords, OwnWordsQuery } from "../../../schema/api/community/own-words.ts";

export const searchOwnWords = endpoint(
  {
    id: "searchOwnWords",
    method: "get",
    path: "/search",
    summary: "Search the caller's own texts",
    description:
      "Searches the caller's notes, flashcards and tutor conversations, in topics that the caller can " +
      "open now. Finds no texts of other people and no deleted texts.",
    ...signedIn,
    query: OwnWordsQuery,
    ...ok(OwnWords, "A list of each kind, newest first"),
  },
  ({ deps, actor, query }) => search(deps.db, actor, query, deps.now()),
);
