import { Component, type ReactNode } from 'react'
import { Page } from './parts.tsx'
import { Failure } from './states.tsx'

/** A page that throws is shown as one that failed, not as an empty screen. */
export class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown) {
    return { error: error ?? new Error('Unknown reason.') }
  }

  override render() {
    if (this.state.error === null) return this.props.children
    return (
      <Page title="This page failed">
        <Failure error={this.state.error} onAgain={() => window.location.reload()} />
      </Page>
    )
  }
}
