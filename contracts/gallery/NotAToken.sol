// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title A contract that is no token at all.
contract NotAToken {
    uint256 public visits;

    function visit() external {
        visits++;
    }
}
