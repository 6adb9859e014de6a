import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { exportCourseAsCartridge } from "./exports.ts";
import {
  getCartridgeImport,
  listCartridgeImports,
  listCartridgeParts,
  startCartridgeImport,
} from "./imports.ts";

export const cartridges = createEndpointGroup("Common Cartridge", "/cartridges", [
  listCartridgeImports,
  startCartridgeImport,
  getCartridgeImport,
  listCartridgeParts,
  exportCourseAsCartridge,
]);
