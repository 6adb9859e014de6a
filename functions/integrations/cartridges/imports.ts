import { created, endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
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
    summary: "Import a Common Cartridge",
    description:
      "Supports versions 1.0 to 1.4. Requires the right to write modules, content and questions in the " +
      "course. The outline is added behind existing modules, unpublished. Pages and topics become texts, " +
      "links and files become resources or videos, QTI 1.2 quizzes become quizzes with pools. The import " +
      "runs in the background: `GET …/imports/{cartridge_import_id}` returns its progress, `…/parts` the " +
      "outcome of each part. A dry run reports the same and writes nothing. Only one writing import per " +
      "course can run at a time.",
    ...permittedTo("content:write", "module:write", "question:write"),
    body: CartridgeImportCreate,
    ...created(CartridgeImport, "The import, not yet started"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, body }) => cartridges.startCartridgeImport(deps.db, actor, body, deps.now()),
);

export const listCartridgeImports = endpoint(
  {
    id: "listCartridgeImports",
    method: "get",
    path: "/courses/{course_id}/imports",
    summary: "List cartridge imports of a course",
    description: "Imports are deleted 30 days after they end.",
    ...permittedTo("content:write", "module:write", "question:write"),
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
    summary: "Read a cartridge import",
    ...permittedTo("content:write", "module:write", "question:write"),
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
    summary: "List the parts of a cartridge",
    description:
      "Skipped parts have a `reason` and a `code`. Partly imported ones have `left_out` and " +
      "`left_out_codes`.",
    ...permittedTo("content:write", "module:write", "question:write"),
    params: pathIds("cartridge_import_id"),
    query: CartridgePartQuery,
    ...ok(listOf(CartridgePart), "Parts, in outline order"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) =>
    cartridges.listCartridgeParts(deps.db, actor, params.cartridge_import_id, query),
);
