// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "./IERC20.sol";

/// @title Moves ETH (token zero) and tokens, and reverts unless it happened.
library SafeToken {
    error SendFailed(address token, address to, uint256 value);

    function send(address token, address to, uint256 value) internal {
        if (value == 0) return;
        if (token == address(0)) {
            (bool ok,) = to.call{value: value}("");
            if (!ok) revert SendFailed(token, to, value);
        } else if (!IERC20(token).transfer(to, value)) {
            revert SendFailed(token, to, value);
        }
    }

    function pull(address token, address from, uint256 value) internal {
        if (!IERC20(token).transferFrom(from, address(this), value)) revert SendFailed(token, address(this), value);
    }
}
