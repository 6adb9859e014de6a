/** A part of a list as CSV, and the key behind which the list goes on, undefined at its end. */
export class CsvPage {
  readonly text: string;
  readonly next: string | undefined;

  constructor(text: string, next: string | undefined) {
    this.text = text;
    this.next = next;
  }
}
