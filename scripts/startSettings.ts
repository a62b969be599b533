import { type Setting, settingsReader } from '@pit/platform/settings'

/** Settings of `npm start` itself; the docs table is generated from it. */
export const SETTINGS = {
  DEMO: {
    default: 'on',
    means:
      'off: no demo on the devnet. on: three wallets trade and play the practice board, four paper agents ' +
      'decide, and feeds publish more often (FEED_STEP_BPS=5). Never on another chain.',
  },
} as const satisfies Record<string, Setting>

export function readSettings(env: Record<string, string | undefined>) {
  const { oneOf } = settingsReader(SETTINGS, env)
  return { demo: oneOf('DEMO', 'on', 'off') === 'on' }
}
