import { group } from "../../lib/http/endpoint.ts";
import { getCartridgeImport, listCartridgeImports, listCartridgeParts, startCartridgeImport } from "./imports.ts";

export const cartridges = group("Common Cartridge", "/cartridges", [
  listCartridgeImports,
  startCartridgeImport,
  getCartridgeImport,
  listCartridgeParts,
]);
