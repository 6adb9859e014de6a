import { created, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import * as cartridges from "../../../lib/integrations/cartridges/imports.ts";
import {
  CartridgeImport,
  CartridgeImportCreate,
  CartridgeImportQuery,
  CartridgePart,
  CartridgePartQuery,
} from "../../../schema/api/integrations/cartridges.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

export const startCartridgeImport = endpoint(
  {
    id: "startCartridgeImport",
    method: "post",
    path: "/imports",
    summary: "Import a Common Cartridge into a course",
    description:
      "Of version 1.0 to 1.3, by whoever may write modules, content and questions there. Its outline becomes modules and " +
      "items behind those that are there, its pages and topics texts, its links and files resources or films, its quizzes " +
      "of QTI 1.2 quizzes with a pool each, its work assignments. All modules are made unpublished. The import goes on " +
      "behind the answer: `GET …/imports/{cartridge_import_id}` says how far it is, and `…/parts` what became of each part, and why " +
      "nothing did. A dry run says the same and writes nothing. While one that writes is under way another into the course " +
      "is refused.",
    ...may("content:write", "module:write", "question:write"),
    body: CartridgeImportCreate,
    ...created(CartridgeImport, "The import, of which nothing is read yet"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, body }) => cartridges.startCartridgeImport(deps.db, actor, body, deps.now()),
);

export const listCartridgeImports = endpoint(
  {
    id: "listCartridgeImports",
    method: "get",
    path: "/courses/{course_id}/imports",
    summary: "List the imports of cartridges into a course",
    description: "They are kept for 30 days after they have ended.",
    ...may("content:write", "module:write", "question:write"),
    params: pathIds("course_id"),
    query: CartridgeImportQuery,
    ...ok(listOf(CartridgeImport), "Imports, newest first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) =>
    cartridges.listCartridgeImports(deps.db, actor, params.course_id, query),
);

export const getCartridgeImport = endpoint(
  {
    id: "getCartridgeImport",
    method: "get",
    path: "/imports/{cartridge_import_id}",
    summary: "Read how far an import of a cartridge is",
    ...may("content:write", "module:write", "question:write"),
    params: pathIds("cartridge_import_id"),
    ...ok(CartridgeImport, "The import"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => cartridges.getCartridgeImport(deps.db, actor, params.cartridge_import_id),
);

export const listCartridgeParts = endpoint(
  {
    id: "listCartridgeParts",
    method: "get",
    path: "/imports/{cartridge_import_id}/parts",
    summary: "List what becomes of the parts of a cartridge",
    description:
      "Each has a `reason` and a `code` where nothing is made of it, and `left_out` and `left_out_codes` where only some is.",
    ...may("content:write", "module:write", "question:write"),
    params: pathIds("cartridge_import_id"),
    query: CartridgePartQuery,
    ...ok(listOf(CartridgePart), "The parts, in the order of the outline"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) =>
    cartridges.listCartridgeParts(deps.db, actor, params.cartridge_import_id, query),
);
