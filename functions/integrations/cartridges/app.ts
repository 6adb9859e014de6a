import { group } from "../../../lib/http/endpoint.ts";
import { exportCourseAsCartridge } from "./exports.ts";
import {
  getCartridgeImport,
  listCartridgeImports,
  listCartridgeParts,
  startCartridgeImport,
} from "./imports.ts";

export const cartridges = group("Common Cartridge", "/cartridges", [
  listCartridgeImports,
  startCartridgeImport,
  getCartridgeImport,
  listCartridgeParts,
  exportCourseAsCartridge,
]);
