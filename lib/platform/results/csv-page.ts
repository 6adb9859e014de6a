/** `next` is the key of the next page, undefined at the end. */
export class CsvPage {
  readonly text: string;
  readonly next: string | undefined;

  constructor(text: string, next: string | undefined) {
    this.text = text;
    this.next = next;
  }
}
