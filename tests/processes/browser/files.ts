import type { JSHandle, Locator, Page } from "playwright-core";

export type Given = { name: string; type: string; bytes: Buffer };

export const text = (name: string, words: string): Given => ({
  ...{ name, type: "text/plain" },
  bytes: Buffer.from(words),
});

/** The browser's data of a drop or paste. */
const transferOf = (page: Page, files: readonly Given[]) =>
  page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const { name, type, bytes } of ${JSON.stringify(files.map(({ bytes, ...file }) => ({ ...file, bytes: [...bytes] })))})
      transfer.items.add(new File([Uint8Array.from(bytes)], name, { type }));
    return transfer;
  })()`);

export async function drop(page: Page, onto: Locator, files: readonly Given[]): Promise<void> {
  await onto.dispatchEvent("drop", { dataTransfer: await transferOf(page, files) });
}

const dispatchPaste = (into: Locator, transfer: JSHandle): Promise<void> =>
  into.evaluate((field, clipboardData) => {
    const event = { clipboardData, bubbles: true, cancelable: true };
    const browser = globalThis as unknown as {
      ClipboardEvent: new (type: string, init: object) => unknown;
    };
    (field as unknown as { dispatchEvent(event: unknown): void }).dispatchEvent(
      new browser.ClipboardEvent("paste", event),
    );
  }, transfer);

export const paste = async (page: Page, into: Locator, files: readonly Given[]): Promise<void> =>
  dispatchPaste(into, await transferOf(page, files));

export const isDrawn = (pictures: Locator): Promise<boolean> =>
  pictures.evaluateAll((all) =>
    all.every((one) => (one as unknown as { naturalWidth: number }).naturalWidth > 0),
  );

export const chosen = ({ name, type, bytes }: Given) => ({ name, mimeType: type, buffer: bytes });

/** Pastes HTML, as a browser does for what was copied in another program. */
export async function pasteHtml(page: Page, into: Locator, html: string, plain: string): Promise<void> {
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.setData("text/html", ${JSON.stringify(html)});
    transfer.setData("text/plain", ${JSON.stringify(plain)});
    return transfer;
  })()`);
  await dispatchPaste(into, transfer);
}
