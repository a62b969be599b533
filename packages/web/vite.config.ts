import { defineConfig } from 'vite'

/** A static page: no server of its own, nothing inline, so that the policy it is served with can forbid it. */
export default defineConfig({
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      onwarn(warning, warn) {
        // `use client` is for servers that render: there is none here.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
      },
    },
  },
})
