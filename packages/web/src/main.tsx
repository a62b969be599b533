import { startTheme } from '@pit/ui'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { queries } from './data/api.ts'
import { isServedForNode } from './data/node.ts'
import '@pit/ui/styles/tokens.css'
import '@pit/ui/styles/base.css'
import './styles/shell.css'
import '@pit/ui/styles/parts.css'
import '@pit/ui/styles/charts.css'
import './styles/pages.css'
import './styles/account.css'

startTheme()
if (isServedForNode())
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  )
