import type { Locator } from "playwright-core";

/** Size of a picture in letters. */
const rows = 14;
const columns = 40;
/** From paper to ink. */
const shades = " .:-=+*#";

/** A picture of an element in letters for the ink in each of 40 by 14 cells: readable in a test's source. */
export async function inkOf(element: Locator): Promise<string> {
  const bytes = [...(await element.screenshot({ animations: "disabled" }))];
  const shares = await element.page().evaluate<number[]>(`(async () => {
    const bitmap = await createImageBitmap(new Blob([new Uint8Array(${JSON.stringify(bytes)})]));
    const { width, height } = bitmap;
    const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    const inkAt = (x, y) => {
      const at = (y * width + x) * 4;
      return Math.max(...[0, 1, 2].map((color) => Math.abs(data[at + color] - data[color]))) / 255;
    };
    let [left, top, right, bottom] = [width, height, 0, 0];
    for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) {
      if (inkAt(x, y) < 0.3) continue;
      [left, top] = [Math.min(left, x), Math.min(top, y)];
      [right, bottom] = [Math.max(right, x + 1), Math.max(bottom, y + 1)];
    }
    const [ink, all] = [new Float64Array(${rows * columns}), new Float64Array(${rows * columns})];
    for (let y = top; y < bottom; y += 1) for (let x = left; x < right; x += 1) {
      const row = Math.floor(((y - top) * ${rows}) / (bottom - top));
      const part = row * ${columns} + Math.floor(((x - left) * ${columns}) / (right - left));
      ink[part] += inkAt(x, y);
      all[part] += 1;
    }
    return [...ink].map((sum, part) => sum / Math.max(1, all[part]));
  })()`);
  const letters = shares.map(
    (share) => shades[Math.min(shades.length - 1, Math.round(share * 1.5 * shades.length))],
  );
  const lines = Array.from({ length: rows }, (_, row) => letters.slice(row * columns, (row + 1) * columns));
  return lines.map((line) => `\n${line.join("").trimEnd()}`).join("");
}

/** The difference of two such pictures: 0 is equal, 1 has no ink in common. */
export function inkBetween(one: string, other: string): number {
  const [lines, others] = [one, other].map((picture) => picture.slice(1).split("\n"));
  const shadeAt = (picture: string[] | undefined, at: number) =>
    Math.max(0, shades.indexOf(picture?.[Math.floor(at / columns)]?.[at % columns] ?? " "));
  let [apart, together] = [0, 0];
  for (let at = 0; at < rows * columns; at += 1) {
    apart += Math.abs(shadeAt(lines, at) - shadeAt(others, at));
    together += shadeAt(lines, at) + shadeAt(others, at);
  }
  return apart / Math.max(1, together);
}
