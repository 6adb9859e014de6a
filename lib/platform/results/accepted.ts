/** A 202: the work continues in the background. */
export class AcceptedResult<Body extends object> {
  readonly status = 202;
  readonly body: Body;

  constructor(body: Body) {
    this.body = body;
  }
}
