/** Whether a development node prints what happens. */
export class DevelopmentLogging {
  #isEnabled = true

  get isEnabled(): boolean {
    return this.#isEnabled
  }

  setEnabled(isEnabled: boolean): void {
    this.#isEnabled = isEnabled
  }
}
