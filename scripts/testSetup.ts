import { execFileSync } from 'node:child_process'

// Tests that start real processes run the bundles in dist/, so they are built once before anything else.
export default function buildOnce(): void {
  execFileSync(process.execPath, ['scripts/build.mjs', '--quiet'], { stdio: 'inherit' })
}
