/** What could not be done at once and was begun in its place: answered with 202, and with a body of its own. */
export class Accepted<Body extends object> {
  readonly status = 202;
  readonly body: Body;

  constructor(body: Body) {
    this.body = body;
  }
}
