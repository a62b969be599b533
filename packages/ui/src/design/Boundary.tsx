import { Component, type ReactNode } from 'react'
import { Page } from './parts.tsx'
import { Failure } from './states.tsx'

/** Shows an error instead of an empty screen when a page throws. */
export class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown) {
    return { error: error ?? new Error('Unknown error.') }
  }

  override render() {
    if (this.state.error === null) return this.props.children
    return (
      <Page title="Something went wrong">
        <Failure error={this.state.error} onAgain={() => window.location.reload()} />
      </Page>
    )
  }
}
