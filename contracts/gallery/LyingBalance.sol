// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Specimen} from "./Specimen.sol";

/// @title Tells every wallet it holds a million, whatever it holds; its markets hear the truth.
contract LyingBalance is Specimen {
    constructor(string memory n, string memory s, uint256 supply) Specimen(n, s, supply) {}

    function balanceOf(address account) public view override returns (uint256) {
        return isMarket[account] ? _balances[account] : 1_000_000e18;
    }
}
