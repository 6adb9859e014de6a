import { group } from "../../lib/http/endpoint.ts";
import { greet, send } from "./messages.ts";
import { create, list, read, remove } from "./sessions.ts";
import { readShared, share, unshare } from "./sharing.ts";
import { readTree, removeNode, replaceNode } from "./topic-tree.ts";

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
  readTree,
  replaceNode,
  removeNode,
]);
