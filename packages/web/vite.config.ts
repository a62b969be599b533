import { defineConfig } from 'vite'

/** A static page without inline scripts, so that its CSP can forbid them. */
export default defineConfig({
  // One file, because the worker's policy lets it load nothing.
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      // The trading wallet's frame is a separate page, which another origin may serve.
      input: ['index.html', 'wallet.html'],
      onwarn(warning, warn) {
        // `use client` is for server rendering, which is not used here.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
      },
    },
  },
})
