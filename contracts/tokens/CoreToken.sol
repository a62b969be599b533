// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "./ERC20.sol";
import {ERC20Permit} from "./ERC20Permit.sol";

/// @title A core token: permit, and an issuer who mints.
abstract contract CoreToken is ERC20Permit {
    error OnlyIssuer();

    address public immutable issuer;
    uint8 private immutable _decimals;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) {
        _name = name_;
        _symbol = symbol_;
        _decimals = decimals_;
        issuer = msg.sender;
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    function mint(address to, uint256 value) external {
        if (msg.sender != issuer) revert OnlyIssuer();
        _mint(to, value);
    }
}
