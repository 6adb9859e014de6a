import { group } from "../../lib/http/endpoint.ts";
import { greet, send } from "./messages.ts";
import { create, list, read, remove } from "./sessions.ts";
import { readShared, share, unshare } from "./sharing.ts";

export const chat = group("Chat", "/chat", [
  list,
  create,
  read,
  remove,
  send,
  greet,
  share,
  unshare,
  readShared,
]);
